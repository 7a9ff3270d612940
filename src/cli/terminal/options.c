/* Options: one table for parsing and for help. */
#include "cli/terminal/options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "weir/units.h"

/* getopt's code of a long option without a letter: 1000 + its place in the table. */
enum { LONG_ONLY = 1000 };

const cli_option cli_options[] = {
    {"output", 'o', "PATH",
     CLI_TAKES_RUN | CLI_TAKES_ROUTES | CLI_TAKES_GRAPH | CLI_TAKES_PAGE | CLI_TAKES_PICTURES |
         CLI_TAKES_EXPORT | CLI_TAKES_IMPORT,
     "folder for the results (default: results/NAME); of routes: a file, .npy or .csv; of a topology: a "
     "file, or - for standard output; of a report: a file (default: report.html); of pictures: a folder "
     "(default: RUN-plots), or of one FIGURE a file; of an export: a file (default: RUN.json, RUN.paje, "
     "RUN.sca, "
     "RUN.vec or RUN.xml); of an import: a file, or - for standard output, the default",
     .words = CLI_FOLDERS, .at = offsetof(cli_args, output)},
    {"report", 0, NULL, CLI_TAKES_REPORT,
     "write report.html with the results, for a browser, as weir report does",
     .at = offsetof(cli_args, report)},
    {"once", 0, NULL, CLI_TAKES_WATCH, "print the screen as it stands now, as text",
     .at = offsetof(cli_args, once)},
    {"format", 0, "NAME", CLI_TAKES_GRAPH | CLI_TAKES_PICTURES | CLI_TAKES_EXPORT,
     "what to write: of a topology graphml, brite, dot, edges or csv (default: by the file's name); of "
     "pictures svg (default), png or pdf; of an export chrome (default), paje, sca, vec or flowmon",
     .words = "graphml brite dot edges csv svg png pdf chrome paje sca vec flowmon",
     .at = offsetof(cli_args, format)},
    {"width", 0, "MM", CLI_TAKES_PICTURES, "width of a picture in millimetres, such as a column's 85",
     .kind = CLI_NUMBER, .at = offsetof(cli_args, width_mm)},
    {"font-size", 0, "PT", CLI_TAKES_PICTURES, "size of its text in points (default: 9)", .kind = CLI_NUMBER,
     .at = offsetof(cli_args, font_pt)},
    {"grey", 0, NULL, CLI_TAKES_PICTURES, "black and white: curves differ by their dashes",
     .at = offsetof(cli_args, grey)},
    {"since", 0, "TIME", CLI_TAKES_PICTURES, "show time series from this time on", .kind = CLI_TIME,
     .at = offsetof(cli_args, since_ps)},
    {"until", 0, "TIME", CLI_TAKES_PICTURES, "show them until then", .kind = CLI_TIME,
     .at = offsetof(cli_args, until_ps)},
    {"from", 0, "NAME", CLI_TAKES_FROM,
     "what the file is, such as inet or brite (default: by its content, then its name)",
     .words = "graphml brite brite-conf cch weights latencies as-rel sndlib sndlib-xml gml repetita codes "
              "ns3-rdma htsim inet orbis edges",
     .at = offsetof(cli_args, from)},
    {"plot", 0, "FILE.svg", CLI_TAKES_PLOT, "draw the graph and its degree distribution", .words = CLI_FILES,
     .at = offsetof(cli_args, plot)},
    {"force", 0, NULL,
     CLI_TAKES_RUN | CLI_TAKES_ROUTES | CLI_TAKES_GRAPH | CLI_TAKES_PAGE | CLI_TAKES_EXPORT |
         CLI_TAKES_IMPORT,
     "replace what stands there already", .at = offsetof(cli_args, force)},
    {"checkpoint", 0, "TIME", CLI_TAKES_CHECKPOINT,
     "save the run's state so often, by the wall's clock, such as 10min, and when it is stopped; weir resume "
     "goes on from there",
     .kind = CLI_TIME, .at = offsetof(cli_args, checkpoint_ps)},
    {"checkpoint-at", 0, "TIME", CLI_TAKES_CHECKPOINT,
     "save it at this simulated time, such as 30s, and keep that", .kind = CLI_TIME,
     .at = offsetof(cli_args, checkpoint_at_ps)},
    {"metric", 0, "NAME", CLI_TAKES_ROUTES | CLI_TAKES_STUDY,
     "of routes: hops, delay, weight or inverse-rate (default: hops); of a study, what is measured of each "
     "run, such as classes.bulk.goodput_bps or slow=p99(flows.completion_s where class = bulk): may be "
     "repeated",
     .words = "hops delay weight inverse-rate", .kind = CLI_LIST, .at = offsetof(cli_args, metric),
     .stored = CLI_TAKES_ROUTES, .key = "study.metrics.+"},
    {"algorithm", 0, "NAME", CLI_TAKES_ROUTES,
     "auto, trees, bit-parallel, batched, floyd-warshall or fw-paper; the table does not depend on it",
     .words = "auto trees bit-parallel batched floyd-warshall fw-paper", .at = offsetof(cli_args, algorithm)},
    {"pairs", 0, "A:B,...", CLI_TAKES_ROUTES,
     "only the paths from A to B, and so on; a name with , or : stands in double quotes",
     .at = offsetof(cli_args, pairs)},
    {"pair", 0, "A B", CLI_TAKES_ROUTES, "only the path from A to B; may be repeated", .kind = CLI_TWO},
    {"verify", 0, NULL, CLI_TAKES_ROUTES, "compute again by another algorithm, and compare",
     .at = offsetof(cli_args, verify)},
    {"seed", 0, "N", CLI_TAKES_OVERRIDES | CLI_TAKES_GENERATE, "seed of all random draws", .kind = CLI_COUNT,
     .key = "seed"},
    {"run", 0, "N", CLI_TAKES_OVERRIDES, "replication: another run with the same seed", .kind = CLI_COUNT,
     .key = "run"},
    {"duration", 0, "TIME", CLI_TAKES_OVERRIDES, "simulated time, such as 10s or 500ms", .key = "duration"},
    {"engine", 0, "NAME", CLI_TAKES_OVERRIDES,
     "auto, sequential, conservative, optimistic, gpu or check; results do not depend on it",
     .words = "auto sequential conservative optimistic gpu check", .key = "engine.type"},
    {"threads", 0, "N", CLI_TAKES_OVERRIDES | CLI_TAKES_ROUTES, "threads, or auto", .words = "auto",
     .kind = CLI_COUNT_OR_AUTO, .key = "engine.threads"},
    {"lp-size", 0, "N", CLI_TAKES_OVERRIDES, "entities of an LP on the GPU, a power of two, or auto",
     .words = "auto", .kind = CLI_COUNT_OR_AUTO, .key = "engine.lp-size"},
    {"device", 0, "NAME", CLI_TAKES_OVERRIDES | CLI_TAKES_ROUTES, "auto, cpu or cuda[:N]",
     .words = "auto cpu cuda", .kind = CLI_DEVICE, .at = offsetof(cli_args, device),
     .stored = CLI_TAKES_ROUTES | CLI_TAKES_STUDY},
    {"set", 0, "PATH=VALUE", CLI_TAKES_OVERRIDES | CLI_TAKES_GENERATE,
     "set any key of the scenario, such as traffic.bulk.start=1s, or a parameter of the model, such as "
     "N=1000; may be repeated",
     .kind = CLI_ASSIGNMENT},
    {"vary", 0, "PATH=VALUES", CLI_TAKES_STUDY,
     "a parameter and its values, such as traffic.bulk.tcp.sessions=1,2,5..20 step 5; may be repeated",
     .kind = CLI_VARY},
    {"replications", 0, "N", CLI_TAKES_STUDY, "runs of each parameter set", .kind = CLI_COUNT,
     .key = "study.replications"},
    {"baseline", 0, "NAME=VALUE", CLI_TAKES_STUDY,
     "compare with the parameter sets that have this value, run by run; may be repeated", .kind = CLI_LIST,
     .key = "study.baseline.+"},
    {"constraint", 0, "EXPRESSION", CLI_TAKES_STUDY,
     "leave out parameter sets for which it is false, such as 'min < max'; may be repeated", .kind = CLI_LIST,
     .key = "study.constraints.+"},
    {"confidence", 0, "SHARE", CLI_TAKES_STUDY, "of intervals (default: 95%)", .key = "study.confidence"},
    {"until-precision", 0, "SHARE", CLI_TAKES_STUDY,
     "add replications until intervals are this narrow: half-width over mean, such as 5%",
     .key = "study.until-precision"},
    {"max-replications", 0, "N", CLI_TAKES_STUDY, "with --until-precision", .kind = CLI_COUNT,
     .key = "study.max-replications"},
    {"jobs", 'j', "N", CLI_TAKES_STUDY, "runs at once (default: one a core)", .kind = CLI_NUMBER,
     .at = offsetof(cli_args, jobs)},
    {"shard", 0, "I/N", CLI_TAKES_STUDY, "only the I-th of N parts, for batch systems",
     .at = offsetof(cli_args, shard)},
    {"dry-run", 0, NULL, CLI_TAKES_STUDY, "list the runs, and estimate time and memory",
     .at = offsetof(cli_args, dry_run)},
    {"list-metrics", 0, NULL, CLI_TAKES_STUDY, "list what can be measured, with units and meanings",
     .at = offsetof(cli_args, list_metrics)},
    {"keep-runs", 0, NULL, CLI_TAKES_STUDY, "keep a results folder of each run, in runs/",
     .at = offsetof(cli_args, keep_runs)},
    {"run-timeout", 0, "TIME", CLI_TAKES_STUDY, "a run that takes longer, such as 10min, fails",
     .kind = CLI_TIME, .at = offsetof(cli_args, run_timeout_ps)},
    {"retry", 0, NULL, CLI_TAKES_STUDY, "try runs again that died or took too long",
     .at = offsetof(cli_args, retry)},
    {"yes", 0, NULL, CLI_TAKES_STUDY, "more than a million runs are meant", .at = offsetof(cli_args, yes)},
    {"json", 0, NULL, CLI_TAKES_JSON, "print JSON instead of text", .at = offsetof(cli_args, json)},
    {"links", 0, NULL, CLI_TAKES_LINKS, "list the links, as scenarios name them, with rate and delay",
     .at = offsetof(cli_args, links)},
    {"schema", 0, NULL, CLI_TAKES_SCHEMA, "print the JSON Schema of scenario files",
     .at = offsetof(cli_args, schema)},
    {"lps", 0, "N,N,...", CLI_TAKES_ANALYZE, "numbers of LPs (default: 1, 2, 4, ... to one an entity)",
     .at = offsetof(cli_args, lps)},
    {"events", 0, "N", CLI_TAKES_ANALYZE, "length of the trace (default: 1000000)", .kind = CLI_NUMBER,
     .at = offsetof(cli_args, events)},
    {"lookahead", 0, "TIME", CLI_TAKES_ANALYZE, "width of the window (default: the model's)",
     .kind = CLI_TIME, .at = offsetof(cli_args, lookahead_ps)},
    {"against", 0, "ENGINE[:K=V,...]", CLI_TAKES_VERIFY,
     "run the scenario under this engine too, such as conservative:threads=3",
     .words = "sequential conservative gpu check conservative:threads=", .at = offsetof(cli_args, against)},
    {"no-progress", 0, NULL, CLI_TAKES_RUN | CLI_TAKES_VERIFY, "no progress line",
     .at = offsetof(cli_args, no_progress)},
    {"quiet", 'q', NULL, CLI_TAKES_VERBOSITY, "errors only"},
    {"verbose", 'v', NULL, CLI_TAKES_VERBOSITY, "notes too"},
    {"help", 'h', NULL, 0, "this text", .at = offsetof(cli_args, help)},
    {"version", 0, NULL, 0, "the version", .at = offsetof(cli_args, version)},
};
const size_t cli_n_options = sizeof cli_options / sizeof *cli_options;

bool cli_takes_option(const cli_command *command, const cli_option *option)
{
    return option->takes == 0 || (command->takes & option->takes) != 0;
}

static int code_of(size_t i)
{
    return cli_options[i].letter ? cli_options[i].letter : LONG_ONLY + (int)i;
}

static const cli_option *option_of(int code)
{
    for (size_t i = 0; i < cli_n_options; i++)
        if (code_of(i) == code)
            return &cli_options[i];
    return NULL;
}

/* getopt's view of the options that a command takes. `letters` holds two bytes an option and a bit more. */
static void make_tables(const cli_command *command, struct option *longs, char *letters)
{
    *letters++ = ':'; /* a missing value is told apart from an unknown option */
    for (size_t i = 0; i < cli_n_options; i++) {
        const cli_option *option = &cli_options[i];
        if (!cli_takes_option(command, option))
            continue;
        const int has_value = option->value ? required_argument : no_argument;
        *longs++ = (struct option){option->name, has_value, NULL, code_of(i)};
        if (option->letter)
            *letters++ = option->letter;
        if (option->letter && option->value)
            *letters++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

/* Says what is wrong with an option that getopt did not know. */
static weir_status unknown_option(weir_diag *diag, const cli_command *command, const char *word)
{
    const char *known[sizeof cli_options / sizeof *cli_options] = {NULL};
    size_t n = 0;
    if (optopt && optopt < LONG_ONLY && !option_of(optopt))
        return weir_fail(diag, WEIR_E_ARG, "unknown option '-%c'; see weir %s --help", optopt, command->name);
    if (optopt && option_of(optopt))
        return weir_fail(diag, WEIR_E_ARG, "option '--%s' takes no value", option_of(optopt)->name);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_takes_option(command, &cli_options[i]))
            known[n++] = cli_options[i].name;
    const char *nearest = wi_nearest(name, known, n);
    if (nearest)
        return weir_fail(diag, WEIR_E_ARG, "unknown option '--%s' (did you mean '--%s'?)", name, nearest);
    return weir_fail(diag, WEIR_E_ARG, "unknown option '--%s'; see weir %s --help", name, command->name);
}

static bool is_count(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 20 && text[digits] == '\0'; /* the table checks the range */
}

static const cli_args *given; /* for messages, which name a place in the scenario */

const char *cli_place(const char *file)
{
    static const char set[] = "--set ";
    for (size_t i = 0; file && given && strncmp(file, set, sizeof set - 1) == 0 && i < given->n_sets; i++)
        if (given->set_by[i] && strcmp(file + sizeof set - 1, given->sets[i]) == 0)
            return given->set_by[i];
    return file;
}

static weir_status add_set(weir_diag *diag, cli_args *args, const char *path, const char *value)
{
    if (!wi_grow_one(&args->sets, args->n_sets, sizeof *args->sets) ||
        !wi_grow_one(&args->set_by, args->n_sets, sizeof *args->set_by) ||
        asprintf(&args->sets[args->n_sets], "%s%s%s", path ? path : "", path ? "=" : "", value) < 0)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the command line");
    args->set_by[args->n_sets++] = NULL;
    return WEIR_OK;
}

/* What messages call the sets from here on: the option, not the keys that it stands for. */
static weir_status name_sets(weir_diag *diag, cli_args *args, size_t from, const cli_option *option,
                             const char *value)
{
    const bool meant = option->kind != CLI_ASSIGNMENT; /* else the user wrote the key */
    for (size_t i = from; meant && i < args->n_sets; i++)
        if (asprintf(&args->set_by[i], "--%s %s", option->name, value) < 0) {
            args->set_by[i] = NULL;
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for the command line");
        }
    return WEIR_OK;
}

/* A CUDA device is the GPU engine's; `auto` and `cpu` leave the choice of an engine as it is, without a device for `cpu`. */
static weir_status set_device(weir_diag *diag, cli_args *args, const char *value)
{
    args->device = value;
    if (strcmp(value, "auto") == 0 || strcmp(value, "cpu") == 0)
        return WEIR_OK;
    if (strcmp(value, "cuda") != 0 && (strncmp(value, "cuda:", 5) != 0 || !is_count(value + 5)))
        return weir_fail(diag, WEIR_E_ARG, "--device wants auto, cpu or cuda[:N], not '%s'", value);
    const weir_status st = add_set(diag, args, "engine.type", "gpu");
    return st == WEIR_OK && value[4] ? add_set(diag, args, "engine.device", value + 5) : st;
}

/* A text that YAML must take as one: in double quotes. */
static char *quoted(const char *text, size_t length)
{
    char *out = malloc(2 * length + 3), *at = out;
    if (!out)
        return NULL;
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            *at++ = '\\';
        *at++ = text[i];
    }
    *at++ = '"';
    *at = '\0';
    return out;
}

static weir_status add_quoted(weir_diag *diag, cli_args *args, const char *path, const char *value)
{
    WI_FREED char *text = quoted(value, strlen(value));
    return text ? add_set(diag, args, path, text)
                : weir_fail(diag, WEIR_E_NOMEM, "no memory for the command line");
}

/* [NAME:]PATH=VALUES [with NAME], or NAME:PATH:=EXPRESSION: an item of study.vary. */
static weir_status add_vary(weir_diag *diag, cli_args *args, const char *value)
{
    const char *equal = strchr(value, '='), *end = value + strlen(value), *with = NULL;
    if (!equal || equal == value)
        return weir_fail(diag, WEIR_E_ARG,
                         "--vary wants PATH=VALUES, such as traffic.bulk.tcp.sessions=1,2,5, not '%s'",
                         value);
    const char *colon = memchr(value, ':', (size_t)(equal - value));
    const bool expression = equal[-1] == ':' && equal - 1 > value;
    if (colon == equal - 1)
        colon = NULL;
    for (const char *at = equal; (at = strstr(at, " with ")) != NULL; at++)
        with = at;
    WI_FREED char *path =
        quoted(colon ? colon + 1 : value, (size_t)(equal - expression - (colon ? colon + 1 : value)));
    WI_FREED char *name = quoted(value, colon ? (size_t)(colon - value) : 0);
    WI_FREED char *partner = with ? quoted(with + 6, (size_t)(end - with - 6)) : NULL;
    WI_FREED char *is = quoted(equal + 1, (size_t)(end - equal - 1)), *item = NULL;
    weir_status st = WEIR_E_NOMEM;
    if (path && name && is && (!with || partner) &&
        asprintf(&item, "{path: %s%s%s, %s: %s%.*s%s%s%s}", path, colon ? ", name: " : "", colon ? name : "",
                 expression ? "is" : "values", expression ? is : "[",
                 expression ? 0 : (int)((with ? with : end) - equal - 1), equal + 1, expression ? "" : "]",
                 with ? ", with: " : "", with ? partner : "") >= 0)
        st = add_set(diag, args, "study.vary.+", item);
    else
        st = weir_fail(diag, WEIR_E_NOMEM, "no memory for the command line");
    return st;
}

static weir_status check_value(weir_diag *diag, const cli_option *option, const char *value)
{
    const bool is_auto = option->kind == CLI_COUNT_OR_AUTO && strcmp(value, "auto") == 0;
    if ((option->kind == CLI_COUNT || option->kind == CLI_COUNT_OR_AUTO) && !is_auto && !is_count(value))
        return weir_fail(diag, WEIR_E_ARG, "--%s wants a whole number%s, not '%s'", option->name,
                         option->kind == CLI_COUNT_OR_AUTO ? " or auto" : "", value);
    if (option->kind == CLI_ASSIGNMENT && (value[0] == '=' || !strchr(value, '=')))
        return weir_fail(diag, WEIR_E_ARG, "--%s wants PATH=VALUE, such as traffic.bulk.start=1s, not '%s'",
                         option->name, value);
    return value[0] ? WEIR_OK : weir_fail(diag, WEIR_E_ARG, "--%s is given an empty value", option->name);
}

static weir_status store(weir_diag *diag, const cli_option *option, const char *value, void *field)
{
    const bool time = option->kind == CLI_TIME;
    char why[200];
    if (!time && option->kind != CLI_NUMBER) {
        *(const char **)field = value;
        return WEIR_OK;
    }
    if (!(time ? weir_parse_time(value, field, why, sizeof why)
               : weir_parse_count(value, field, why, sizeof why)))
        return weir_fail(diag, WEIR_E_ARG, "--%s: %s", option->name, why);
    if (time ? *(weir_time *)field > 0 : *(uint64_t *)field > 0)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG, "--%s %s: want a %s above 0", option->name, value,
                     time ? "time" : "number");
}

static weir_status apply(weir_diag *diag, const cli_command *command, cli_args *args,
                         const cli_option *option, const char *value)
{
    void *const field = (char *)args + option->at; /* that of --help is the first; 0 of others: none */
    if (option->letter == 'q' || option->letter == 'v') {
        args->verbosity = option->letter == 'q' ? -1 : 1;
        return WEIR_OK;
    }
    if (!option->value) {
        *(bool *)field = true;
        return WEIR_OK;
    }
    WI_RETURN_IF_FAILED(check_value(diag, option, value));
    if (option->at > 0 && (option->stored == 0 || (command->takes & option->stored)))
        return store(diag, option, value, field);
    const size_t before = args->n_sets;
    const weir_status status = option->kind == CLI_DEVICE ? set_device(diag, args, value)
                               : option->kind == CLI_VARY ? add_vary(diag, args, value)
                               : option->kind == CLI_LIST ? add_quoted(diag, args, option->key, value)
                                                          : add_set(diag, args, option->key, value);
    return status ?: name_sets(diag, args, before, option, value);
}

static weir_status add_pair(weir_diag *diag, cli_args *args, const char *from, const char *to)
{
    if (!wi_grow_one(&args->pair, args->n_pair, 2 * sizeof *args->pair))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the command line");
    args->pair[2 * args->n_pair] = from;
    args->pair[2 * args->n_pair++ + 1] = to;
    return WEIR_OK;
}

static weir_status take_operands(weir_diag *diag, const cli_command *command, int argc, char **argv,
                                 cli_args *args)
{
    const int room = (int)(sizeof args->operands / sizeof *args->operands);
    for (int i = optind; i < argc; i++, args->n_operands++)
        if (args->n_operands < room)
            args->operands[args->n_operands] = argv[i];
    if (args->help || args->version || args->schema)
        return WEIR_OK;
    if (args->n_operands < command->operands_min)
        return weir_fail(diag, WEIR_E_ARG, "%s is missing: weir %s %s", command->operands, command->name,
                         command->operands);
    if (args->n_operands > command->operands_max)
        return weir_fail(diag, WEIR_E_ARG, "'%s' is one argument too many; see weir %s --help",
                         argv[optind + command->operands_max], command->name);
    return WEIR_OK;
}

/* `-` is standard output to the commands that print topologies and scenarios; others would make a file or folder of that name. */
static weir_status refuse_dash(weir_diag *diag, const cli_command *command, const cli_args *args)
{
    const bool prints = command->takes & (CLI_TAKES_GRAPH | CLI_TAKES_IMPORT);
    const char *const option = args->output && strcmp(args->output, "-") == 0 && !prints ? "output"
                               : args->plot && strcmp(args->plot, "-") == 0              ? "plot"
                                                                                         : NULL;
    if (!option)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG,
                     "--%s -: weir %s writes a %s here, not standard output; name it (./- where it is to be "
                     "called so)",
                     option, command->name, command->takes & CLI_TAKES_RUN ? "folder" : "file");
}

weir_status cli_parse(weir_diag *diag, const cli_command *command, int argc, char **argv, cli_args *args)
{
    struct option longs[sizeof cli_options / sizeof *cli_options + 1];
    char letters[2 * (sizeof cli_options / sizeof *cli_options) + 2];
    *args = (cli_args){0};
    given = args;
    make_tables(command, longs, letters);
    optind = 0; /* glibc: begin anew */
    opterr = 0;
    for (;;) {
        const int code = getopt_long(argc, argv, letters, longs, NULL);
        if (code == -1)
            return take_operands(diag, command, argc, argv, args) ?: refuse_dash(diag, command, args);
        if (code == ':')
            return weir_fail(diag, WEIR_E_ARG, "option '--%s' wants a value: --%s %s",
                             option_of(optopt)->name, option_of(optopt)->name, option_of(optopt)->value);
        if (code == '?')
            return unknown_option(diag, command, argv[optind - 1]);
        const cli_option *const option = option_of(code);
        const bool two = option->kind == CLI_TWO;
        if (two && optind >= argc)
            return weir_fail(diag, WEIR_E_ARG, "option '--%s' wants two words: --%s %s", option->name,
                             option->name, option->value);
        const weir_status st =
            two ? add_pair(diag, args, optarg, argv[optind++]) : apply(diag, command, args, option, optarg);
        if (st != WEIR_OK)
            return st;
    }
}

void cli_args_free(cli_args *args)
{
    given = NULL;
    for (size_t i = 0; i < args->n_sets; i++) {
        free(args->sets[i]);
        free(args->set_by[i]);
    }
    free(args->sets);
    free(args->set_by);
    free(args->pair);
    *args = (cli_args){0};
}
