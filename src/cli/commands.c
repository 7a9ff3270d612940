/* The table of commands. */
#include "cli/terminal/cli.h"

static const cli_command commands[] = {
    {.name = "run",
     .summary = "simulate a scenario and write its results",
     .operands = "SCENARIO",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_JSON | CLI_TAKES_REPORT | CLI_TAKES_VERBOSITY |
              CLI_TAKES_CHECKPOINT,
     .details =
         "Checks the scenario, simulates it, and writes one folder: scenario.yaml (resolved), summary.json,\n"
         "flows.csv, ports.csv and series.h5. The folder appears when it is whole, never before. Ctrl-C "
         "stops\n"
         "at the next consistent point and writes what there is, marked as partial; twice stops at once.\n",
     .examples =
         "  weir run abilene.yaml                          results in results/abilene\n"
         "  weir run abilene.yaml -o out --force           somewhere else, replacing what is there\n"
         "  weir run abilene.yaml --duration 1s --seed 7   shorter, with another seed\n"
         "  weir run abilene.yaml --set traffic.bulk.tcp.sessions=50\n"
         "  weir run abilene.yaml --checkpoint 10min       can be killed, and goes on by weir resume\n"
         "  weir run abilene.yaml --report                 and results/abilene/report.html, for a browser\n"
         "  weir run abilene.yaml --json | jq .event_digest  the summary for a program\n",
     .run = cli_run},
    {.name = "resume",
     .summary = "go on with a run from its checkpoint",
     .operands = "RUN",
     .operands_min = 1,
     .operands_max = 1,
     .takes =
         CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY | CLI_TAKES_CHECKPOINT,
     .details =
         "RUN is the folder that the results were to go to, or the checkpoint beside it (RUN.checkpoint). "
         "The results are\n"
         "those of a run that was never interrupted, byte for byte; engine, threads and device may be "
         "others.\n"
         "With --set or --duration the run is forked: traffic that has not begun, duration and warm-up may "
         "be\n"
         "otherwise, and results go to RUN-fork, unless --output says where. The rest is refused.\n",
     .examples = "  weir resume results/abilene                    from results/abilene.checkpoint\n"
                 "  weir resume results/abilene --engine conservative --threads 8 --checkpoint 10min\n"
                 "  weir resume monday.checkpoint -o results/monday\n"
                 "  weir resume results/abilene --set traffic.late.start=31s -o results/what-if\n",
     .run = cli_resume},
    {.name = "study",
     .summary = "run a scenario for many parameter values, with replications and intervals",
     .operands = "SCENARIO | STUDY | collect STUDY...",
     .operands_min = 1,
     .operands_max = CLI_OPERANDS_MAX,
     .takes = CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_STUDY | CLI_TAKES_VERBOSITY,
     .details = "Runs every combination of the values that --vary, or the section `study` of the file, "
                "gives, on all cores,\n"
                "and writes one folder (results/NAME-study): runs.csv, a row a run; aggregate.csv, means and "
                "intervals of each\n"
                "parameter set; differences.csv, with a baseline; plots; and study.yaml. Values are lists "
                "and ranges: 1,2,5 or\n"
                "1..10 step 2, 1ms..1s log 7, 1..1024 times 2; 'a=1,2 with b' goes in step with b, 'a:=2*b' "
                "follows from b.\n"
                "The same command again goes on where it was stopped; `weir study FOLDER` does too. Exit "
                "status 1: runs\n"
                "failed, which runs.csv names, or it was stopped.\n",
     .examples = "  weir study abilene.yaml --vary traffic.bulk.tcp.sessions=1,5,20 --replications 10\n"
                 "  weir study buffers.yaml                        what its section `study` says\n"
                 "  weir study red.yaml --vary 'topology.queue.max_p=1%..50% log 5' --until-precision 5%\n"
                 "  weir study buffers.yaml --dry-run              which runs, how long, how much memory?\n"
                 "  weir study results/buffers-study               go on with what was stopped\n"
                 "  weir study net.yaml --shard 3/16 -o part3      one of sixteen jobs of a batch system\n"
                 "  weir study collect part* -o whole              when all sixteen are done\n",
     .run = cli_study},
    {.name = "watch",
     .summary = "look at a run under way",
     .operands = "RUN",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_WATCH | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "RUN is the folder that its results are to go to. On a terminal one screen, anew each "
                "second: simulated time,\n"
                "rate, flows in progress, and the ports that are used most; elsewhere a line every ten "
                "seconds. It ends when\n"
                "the run does, and leaves it alone. Runs over MPI ranks and on a GPU tell time and rate. "
                "Exit status 1: the run\n"
                "ended without results.\n",
     .examples = "  weir watch results/abilene\n"
                 "  ssh cluster weir watch results/abilene --once  a look, as text\n"
                 "  weir watch results/abilene --json              for a program\n",
     .run = cli_watch},
    {.name = "report",
     .summary = "write runs and studies as one HTML file, for a browser",
     .operands = "RUN|STUDY...",
     .operands_min = 1,
     .operands_max = 32,
     .takes = CLI_TAKES_PAGE | CLI_TAKES_VERBOSITY,
     .details =
         "Results folders, beside each other: a map of the network with a slider over time, time series "
         "that zoom\n"
         "together, distributions, tables that sort and filter, studies over their parameters, and the "
         "scenario. The\n"
         "file needs no network, and opens from disk. Long tables and series are made shorter, which it "
         "says. What\n"
         "stands there and is no report is kept, unless --force says otherwise.\n",
     .examples = "  weir report results/abilene                    report.html\n"
                 "  weir report results/old results/new -o both.html\n"
                 "  weir report results/buffers-study -o study.html\n",
     .run = cli_report},
    {.name = "plot",
     .summary = "draw a run: load on the network, series, distributions",
     .operands = "RUN",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_PICTURES | CLI_TAKES_VERBOSITY,
     .details = "A picture a file, those that the run has data for: network (what each port carried), "
                "series-TABLE-COLUMN\n"
                "(time series, eight rows at most), cdf-TABLE-COLUMN (completion times and more, a curve a "
                "class), cdf-queue,\n"
                "slowdown (by size). Pictures of the same names are replaced. PNG is made by rsvg-convert "
                "(librsvg2-bin).\n",
     .examples = "  weir plot results/abilene                      into results/abilene-plots\n"
                 "  weir plot results/abilene -o figures --format png\n",
     .run = cli_plot},
    {.name = "check",
     .summary = "check a scenario, print it resolved, and estimate what a run takes",
     .operands = "SCENARIO",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_OVERRIDES | CLI_TAKES_SCHEMA | CLI_TAKES_VERBOSITY,
     .details =
         "Prints a scenario file: every value in force, defaults included, and the estimate as comments.\n",
     .examples =
         "  weir check abilene.yaml                        all errors of the file, or the resolved file\n"
         "  weir check abilene.yaml --duration 1h          what would an hour take?\n"
         "  weir check --schema > weir.schema.json         for an editor that completes YAML\n",
     .run = cli_check},
    {.name = "verify",
     .summary = "compare two runs, and find the first event that differs",
     .operands = "RUN [RUN]",
     .operands_min = 1,
     .operands_max = 2,
     .takes = CLI_TAKES_OVERRIDES | CLI_TAKES_VERIFY | CLI_TAKES_VERBOSITY,
     .details = "A run is a results folder or a scenario. Folders with the same digests are the same; "
                "otherwise both are\n"
                "run again side by side, and the first event that they handle differently is printed, as "
                "both have it.\n"
                "With --against, one scenario is run under two engines. Exit status 1: they differ.\n",
     .examples =
         "  weir verify results/monday results/tuesday     are they the same? if not, from where on?\n"
         "  weir verify kademlia.yaml --engine sequential --against conservative:threads=3\n",
     .run = cli_verify},
    {.name = "analyze parallelism",
     .summary = "how many events of a scenario can be handled at once",
     .operands = "SCENARIO",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_ANALYZE | CLI_TAKES_VERBOSITY,
     .details = "Runs it sequentially, traces its events after the warm-up, and takes them away in rounds: "
                "all that lie in\n"
                "the lookahead window and depend on nothing. Events a round bound the speed-up of parallel "
                "engines.\n"
                "Writes parallelism.csv and parallelism.svg, into results/NAME-parallelism unless --output "
                "says otherwise.\n",
     .examples = "  weir analyze parallelism kademlia.yaml         table and plot for 1, 2, 4, ... LPs\n"
                 "  weir analyze parallelism abilene.yaml --lps 1,4,16 --events 100000\n",
     .run = cli_analyze_parallelism},
    {.name = "topology models",
     .summary = "list the models of topologies, or the parameters of one",
     .operands = "[MODEL]",
     .operands_max = 1,
     .takes = CLI_TAKES_VERBOSITY,
     .examples = "  weir topology models                           all of them\n"
                 "  weir topology models waxman                    its parameters and their defaults\n",
     .run = cli_topology_models},
    {.name = "topology names",
     .summary = "list the nodes of a model or file, as scenarios name them",
     .operands = "MODEL|FILE",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_GENERATE | CLI_TAKES_FROM | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "One line a node: name, role (router or host), number of links, with tabs between. Scenarios take "
         "names and\n"
         "patterns of them: 'h*', 'r[0-15]', \"core*--*\".\n",
     .examples = "  weir topology names fat-tree --set k=6         what are its hosts and switches called?\n"
                 "  weir topology names Abilene.graphml | grep -i york\n",
     .run = cli_topology_names},
    {.name = "topology generate",
     .summary = "make a topology by a model, or from a BRITE configuration",
     .operands = "MODEL|FILE.conf",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_GENERATE | CLI_TAKES_GRAPH | CLI_TAKES_PLOT | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Parameters are set by --set NAME=VALUE; weir topology models lists them. The same seed gives the "
         "same\n"
         "graph on every machine. Without --output and --plot the graph is measured. Of a configuration, "
         "--set\n"
         "codes=java swaps the codes 3 and 4 of its distributions, about which BRITE's documents disagree.\n",
     .examples = "  weir topology generate barabasi-albert --set N=10000 --set m=2 -o ba.brite\n"
                 "  weir topology generate top-down --set as_N=20 --set rt_N=50 --plot figure1.svg\n"
                 "  weir topology generate TD_ASBarabasi_RTWaxman.conf --seed 7 -o td.graphml.gz\n",
     .run = cli_topology_generate},
    {.name = "topology convert",
     .summary = "write a topology file in another format",
     .operands = "FILE",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_FROM | CLI_TAKES_GRAPH | CLI_TAKES_PLOT | CLI_TAKES_VERBOSITY,
     .details = "Reads what topology info reads; writes GraphML, BRITE, Graphviz (DOT), edge lists and CSV, "
                "gzip'd where the\n"
                "name ends in .gz. What a format cannot hold is left out, which is said with counts.\n",
     .examples = "  weir topology convert 1755.cch -o 1755.graphml\n"
                 "  weir topology convert net.txt --from inet -o - --format dot | neato -Tsvg > net.svg\n",
     .run = cli_topology_convert},
    {.name = "topology info",
     .summary = "measure a topology file",
     .operands = "FILE",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_FROM | CLI_TAKES_PLOT | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "Reads GraphML, GML, BRITE, Rocketfuel maps and lists, AS relationships, SNDlib, REPETITA, "
                "CODES, Inet, Orbis\n"
                "and edge lists, as they are or compressed by gzip or bzip2.\n",
     .examples =
         "  weir topology info Abilene.graphml             nodes, links, degrees, paths, what is missing\n"
         "  weir topology info --json as-graph.txt.gz      the same for a program\n",
     .run = cli_topology_info},
    {.name = "routes",
     .summary = "compute, time, check and write routes of a topology",
     .operands = "FILE",
     .operands_min = 1,
     .operands_max = 1,
     .takes = CLI_TAKES_ROUTES | CLI_TAKES_FROM | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "Computes the next port of every node toward every other: the lowest-numbered port on a "
                "shortest path.\n"
                "The table is the same for every algorithm and device. With --pairs or --pair, only some "
                "paths, and no "
                "table.\n",
     .examples =
         "  weir routes as-graph.txt.gz --verify           how long does a table take, and is it right?\n"
         "  weir routes Abilene.graphml --metric delay --pairs Seattle:Atlanta\n"
         "  weir routes x.graphml --pair \"New York, NY\" Denver      a path; quotes are the shell's\n"
         "  weir routes big.txt --device cuda -o ports.npy     on a GPU, for numpy.load\n",
     .run = cli_routes},
    {.name = "info",
     .summary = "print version, build features and devices",
     .operands = "",
     .takes = CLI_TAKES_VERBOSITY,
     .examples = "  weir info                                      put this into a bug report\n",
     .run = cli_info},
    {.name = "help",
     .summary = "print the help of weir, or of one command",
     .operands = "[COMMAND]",
     .operands_max = 2,
     .examples = "  weir help run                                  as weir run --help\n",
     .run = NULL},
    {.name = "version",
     .summary = "print the version",
     .operands = "",
     .examples = "  weir version\n",
     .run = cli_version},
};
static const size_t n_commands = sizeof commands / sizeof *commands;

const cli_command *cli_commands(size_t *count)
{
    *count = n_commands;
    return commands;
}
