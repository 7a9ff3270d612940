/* The table of commands. */
#include "cli/terminal/cli.h"

static const cli_command commands[] = {
    {"run", "simulate a scenario and write its results", "SCENARIO", 1, 1,
     CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_JSON | CLI_TAKES_REPORT | CLI_TAKES_VERBOSITY |
         CLI_TAKES_CHECKPOINT,
     .details = "Checks the scenario, simulates it, and writes one folder: scenario.yaml (resolved), "
                "summary.json, flows.csv, ports.csv and series.h5. The folder appears when it is whole, "
                "never before. Ctrl-C stops at the next consistent point and writes what there is, marked as "
                "partial; twice stops at once.",
     .examples =
         "  weir run abilene.yaml                          results in results/abilene\n"
         "  weir run abilene.yaml -o out --force           somewhere else, replacing what is there\n"
         "  weir run abilene.yaml --duration 1s --seed 7   shorter, with another seed\n"
         "  weir run abilene.yaml --set traffic.bulk.tcp.sessions=50\n"
         "  weir run abilene.yaml --checkpoint 10min       can be killed, and goes on by weir resume\n"
         "  weir run abilene.yaml --report                 and results/abilene/report.html, for a browser\n"
         "  weir run abilene.yaml --json | jq .event_digest  the summary for a program\n",
     .run = cli_run},
    {"resume", "go on with a run from its checkpoint", "RUN", 1, 1,
     CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY | CLI_TAKES_CHECKPOINT,
     .details = "RUN is the folder that the results were to go to, or the checkpoint beside it "
                "(RUN.checkpoint). The results are those of a run that was never interrupted, byte for byte; "
                "engine, threads and device may be others. With --set or --duration the run is forked: "
                "traffic that has not begun, duration and warm-up may be otherwise, and results go to "
                "RUN-fork, unless --output says where. The rest is refused.",
     .examples = "  weir resume results/abilene                    from results/abilene.checkpoint\n"
                 "  weir resume results/abilene --engine conservative --threads 8 --checkpoint 10min\n"
                 "  weir resume monday.checkpoint -o results/monday\n"
                 "  weir resume results/abilene --set traffic.late.start=31s -o results/what-if\n",
     .run = cli_resume},
    {"study", "run a scenario for many parameter values, with replications and intervals",
     "SCENARIO | STUDY | collect STUDY...", 1, CLI_OPERANDS_MAX,
     CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_STUDY | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Runs every combination of the values that --vary, or the section `study` of the file, gives, on "
         "all cores, and writes one folder (results/NAME-study): runs.csv, a row a run; aggregate.csv, means "
         "and intervals of each parameter set; differences.csv, with a baseline; plots; and study.yaml. "
         "Values are lists and ranges: 1,2,5 or 1..10 step 2, 1ms..1s log 7, 1..1024 times 2; 'a=1,2 with b' "
         "goes in step with b, 'a:=2*b' follows from b. The same command again goes on where it was stopped; "
         "`weir study FOLDER` does too. Exit status 1: runs failed, which runs.csv names, or it was stopped.",
     .examples = "  weir study abilene.yaml --vary traffic.bulk.tcp.sessions=1,5,20 --replications 10\n"
                 "  weir study buffers.yaml                        what its section `study` says\n"
                 "  weir study red.yaml --vary 'topology.queue.max_p=1%..50% log 5' --until-precision 5%\n"
                 "  weir study buffers.yaml --dry-run              which runs, how long, how much memory?\n"
                 "  weir study buffers.yaml --list-metrics         what can be measured\n"
                 "  weir study results/buffers-study               go on with what was stopped\n"
                 "  weir study net.yaml --shard 3/16 -o part3      one of sixteen jobs of a batch system\n"
                 "  weir study collect part* -o whole              when all sixteen are done\n",
     .run = cli_study},
    {"watch", "look at a run under way", "RUN", 1, 1, CLI_TAKES_WATCH | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "RUN is the folder that its results are to go to. On a terminal one screen, anew each second: "
         "simulated time, rate, flows in progress, and the ports that are used most; elsewhere a line every "
         "ten seconds. It ends when the run does, and leaves it alone. Runs over MPI ranks and on a GPU tell "
         "time and rate. Exit status 1: the run ended without results.",
     .examples = "  weir watch results/abilene\n"
                 "  ssh cluster weir watch results/abilene --once  a look, as text\n"
                 "  weir watch results/abilene --json              for a program\n",
     .run = cli_watch},
    {"report", "write runs and studies as one HTML file, for a browser", "RUN|STUDY...", 1, 32,
     CLI_TAKES_PAGE | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Results folders, beside each other: a map of the network with a slider over time, time series that "
         "zoom together, distributions, tables that sort and filter, studies over their parameters, and the "
         "scenario. The file needs no network, and opens from disk. Long tables and series are made shorter, "
         "which it says. What stands there and is no report is kept, unless --force says otherwise.",
     .examples = "  weir report results/abilene                    report.html\n"
                 "  weir report results/old results/new -o both.html\n"
                 "  weir report results/buffers-study -o study.html\n",
     .run = cli_report},
    {"export", "write a run for other tools: Perfetto, SimGrid, OMNeT++, ns-3", "RUN", 1, 1,
     CLI_TAKES_EXPORT | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "chrome: trace events, which ui.perfetto.dev and chrome://tracing open: a bar a flow, and of "
                "jobs a bar an operation, a row a rank. sca: a scalar for each number of each port and flow, "
                "and vec: time series, as OMNeT++ writes them. paje: the same bars for SimGrid's tools, ViTE "
                "and pajeng. flowmon: what ns-3's FlowMonitor writes, "
                "of a run with output.flow_monitor.",
     .examples = "  weir export results/train                      results/train.json\n"
                 "  weir export results/abilene --format vec -o a.vec\n",
     .run = cli_export},
    {"import", "make a scenario of files of ns-3's RDMA fork or htsim", "FILE...", 1, 8,
     CLI_TAKES_IMPORT | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Of ns-3's RDMA fork a config.txt is enough, which names the others; topology.txt, flow.txt and "
         "trace.txt go before what it names. Of htsim connections (.cm, .tm), and a topology (.topo) unless "
         "their nodes are a fat-tree of equal switches. What a file is is told by its content. The scenario "
         "names the files, and reads them as they are. Values of keys that have no counterpart are refused "
         "by name, and what weir does otherwise stands below it in comments.",
     .examples = "  weir import simulation/mix/config.txt          to standard output\n"
                 "  weir import perm_128n.cm fat_tree_128.topo -o perm.yaml\n",
     .run = cli_import},
    {"plot", "draw runs: load on the network, series, distributions", "[LABEL=]RUN... [FIGURE...]", 1, 32,
     CLI_TAKES_PICTURES | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "A picture a file, those that the run has data for: network (what each port carried), "
         "series-TABLE-COLUMN (time series, eight rows at most), cdf-TABLE-COLUMN (completion times and "
         "more, a curve a class), cdf-queue, slowdown (by size). Of up to 8 runs, the same figures in the "
         "same axes, and the first's network. Pictures of the same names are replaced. FIGURES are names of "
         "these, all without. PNG and PDF are made by rsvg-convert (librsvg2-bin).",
     .examples =
         "  weir plot results/abilene                      into results/abilene-plots\n"
         "  weir plot results/abilene -o figures --format png\n"
         "  weir plot RED=results/red drop-tail=results/droptail series-ports-queue_bytes --until 40s\n"
         "  weir plot results/abilene cdf-flows-completion_s -o fig3.pdf --width 85 --font-size 8\n",
     .run = cli_plot},
    {"check", "check a scenario, print it resolved, and estimate what a run takes", "SCENARIO", 1, 1,
     CLI_TAKES_OVERRIDES | CLI_TAKES_SCHEMA | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Prints a scenario file: every value in force, defaults included, and the estimate as comments.",
     .examples =
         "  weir check abilene.yaml                        all errors of the file, or the resolved file\n"
         "  weir check abilene.yaml --duration 1h          what would an hour take?\n"
         "  weir check --schema > weir.schema.json         for an editor that completes YAML\n",
     .run = cli_check},
    {"verify", "compare two runs, and find the first event that differs", "RUN [RUN]", 1, 2,
     CLI_TAKES_OVERRIDES | CLI_TAKES_VERIFY | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "A run is a results folder or a scenario. Folders with the same digests are the same; otherwise "
         "both are run again side by side, and the first event that they handle differently is printed, as "
         "both have it. With --against, one scenario is run under two engines. Exit status 1: they differ.",
     .examples =
         "  weir verify results/monday results/tuesday     are they the same? if not, from where on?\n"
         "  weir verify kademlia.yaml --engine sequential --against conservative:threads=3\n",
     .run = cli_verify},
    {"analyze parallelism", "how many events of a scenario can be handled at once", "SCENARIO", 1, 1,
     CLI_TAKES_OVERRIDES | CLI_TAKES_RUN | CLI_TAKES_ANALYZE | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "Runs it sequentially, traces its events after the warm-up, and takes them away in rounds: "
                "all that lie in the lookahead window and depend on nothing. Events a round bound the "
                "speed-up of parallel engines. Writes parallelism.csv and parallelism.svg, into "
                "results/NAME-parallelism unless --output says otherwise.",
     .examples = "  weir analyze parallelism kademlia.yaml         table and plot for 1, 2, 4, ... LPs\n"
                 "  weir analyze parallelism abilene.yaml --lps 1,4,16 --events 100000\n",
     .run = cli_analyze_parallelism},
    {"topology models", "list the models of topologies, or the parameters of one", "[MODEL]", 0, 1,
     CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .examples = "  weir topology models                           all of them\n"
                 "  weir topology models waxman                    its parameters and their defaults\n",
     .run = cli_topology_models},
    {"topology names", "list the nodes of a model or file, as scenarios name them", "MODEL|FILE", 1, 1,
     CLI_TAKES_GENERATE | CLI_TAKES_FROM | CLI_TAKES_LINKS | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "One line a node: name, role (router or host), number of links, with tabs between. With "
                "--links one a link: name, rate, delay. Scenarios take names and patterns of them: 'h*', "
                "'r[0-15]', \"core*--*\".",
     .examples = "  weir topology names fat-tree --set k=6         what are its hosts and switches called?\n"
                 "  weir topology names dumbbell --links           and its links?\n"
                 "  weir topology names Abilene.graphml | grep -i york\n",
     .run = cli_topology_names},
    {"topology generate", "make a topology by a model, or from a BRITE configuration", "MODEL|FILE.conf", 1,
     1, CLI_TAKES_GENERATE | CLI_TAKES_GRAPH | CLI_TAKES_PLOT | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "Parameters are set by --set NAME=VALUE; weir topology models lists them. The same seed "
                "gives the same graph on every machine. Without --output and --plot the graph is measured. "
                "Of a configuration, --set codes=java swaps the codes 3 and 4 of its distributions, about "
                "which BRITE's documents disagree.",
     .examples = "  weir topology generate barabasi-albert --set N=10000 --set m=2 -o ba.brite\n"
                 "  weir topology generate top-down --set as_N=20 --set rt_N=50 --plot figure1.svg\n"
                 "  weir topology generate TD_ASBarabasi_RTWaxman.conf --seed 7 -o td.graphml.gz\n",
     .run = cli_topology_generate},
    {"topology convert", "write a topology file in another format", "FILE", 1, 1,
     CLI_TAKES_FROM | CLI_TAKES_GRAPH | CLI_TAKES_PLOT | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Reads what topology info reads; writes GraphML, BRITE, Graphviz (DOT), edge lists and CSV, gzip'd "
         "where the name ends in .gz. What a format cannot hold is left out, which is said with counts.",
     .examples = "  weir topology convert 1755.cch -o 1755.graphml\n"
                 "  weir topology convert net.txt --from inet -o - --format dot | neato -Tsvg > net.svg\n",
     .run = cli_topology_convert},
    {"topology info", "measure a topology file", "FILE", 1, 1,
     CLI_TAKES_FROM | CLI_TAKES_PLOT | CLI_TAKES_LINKS | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details =
         "Reads GraphML, GML, BRITE, Rocketfuel maps and lists, AS relationships, SNDlib, REPETITA, CODES, "
         "ns-3's RDMA fork, htsim, Inet, Orbis and edge lists, as they are or compressed by gzip or bzip2.",
     .examples =
         "  weir topology info Abilene.graphml             nodes, links, degrees, paths, what is missing\n"
         "  weir topology info --links Abilene.graphml     its links by name, with rate and delay\n"
         "  weir topology info --json as-graph.txt.gz      the same for a program\n",
     .run = cli_topology_info},
    {"routes", "compute, time, check and write routes of a topology", "FILE", 1, 1,
     CLI_TAKES_ROUTES | CLI_TAKES_FROM | CLI_TAKES_JSON | CLI_TAKES_VERBOSITY,
     .details = "Computes the next port of every node toward every other: the lowest-numbered port on a "
                "shortest path. The table is the same for every algorithm and device. With --pairs or "
                "--pair, only some paths, and no table.",
     .examples =
         "  weir routes as-graph.txt.gz --verify           how long does a table take, and is it right?\n"
         "  weir routes Abilene.graphml --metric delay --pairs Seattle:Atlanta\n"
         "  weir routes x.graphml --pair \"New York, NY\" Denver      a path; quotes are the shell's\n"
         "  weir routes big.txt --device cuda -o ports.npy     on a GPU, for numpy.load\n",
     .run = cli_routes},
    {"info", "print version, build features and devices, or what a job's trace holds", "[TRACE]", 0, 1,
     CLI_TAKES_VERBOSITY | CLI_TAKES_JSON,
     .details = "TRACE is what `job.trace` of a traffic class names: Chakra's .et, GOAL, a workload of SimAI "
                "or AICB, SimGrid's actions, or DUMPI's .meta. What takes a time that the trace does not "
                "give counts as no "
                "time. A workload that does not say how many GPUs there are has one group of each kind.",
     .examples =
         "  weir info                                      put this into a bug report\n"
         "  weir info all_reduce.0.et                      ranks, messages, bytes by kind, longest chain\n",
     .run = cli_info},
    {"help", "print the help of weir, or of one command", "[COMMAND]", 0, 2, 0,
     .examples = "  weir help run                                  as weir run --help\n"},
    {"version", "print version, commit and build features", "", 0, 0, CLI_TAKES_JSON,
     .examples = "  weir version\n", .run = cli_version},
};
static const size_t n_commands = sizeof commands / sizeof *commands;

const cli_command *cli_commands(size_t *count)
{
    *count = n_commands;
    return commands;
}
