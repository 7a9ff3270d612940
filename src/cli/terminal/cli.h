/*
 * The `weir` command: what its files share.
 *
 * Every command is one entry of a table (commands.c): names, texts and a function. Options are entries of one
 * table too (options.c), from which parsing and help come. Results go to stdout, messages to stderr.
 *
 * Exit codes: 0 good; 1 the run failed or was stopped; 2 bad usage or scenario.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "weir/scenario.h"
#include "weir/status.h"

enum { CLI_OPERANDS_MAX = 4096 };
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Which options a command takes: a set of these. */
typedef enum cli_takes {
    CLI_TAKES_OVERRIDES = 1, /* --set and its short forms: what changes a scenario */
    CLI_TAKES_RUN = 2,       /* where results go, progress */
    CLI_TAKES_JSON = 4,
    CLI_TAKES_SCHEMA = 8,
    CLI_TAKES_VERBOSITY = 16,
    CLI_TAKES_ANALYZE = 32, /* how an analysis looks at a scenario */
    CLI_TAKES_VERIFY = 64,  /* what a run is compared with */
    CLI_TAKES_ROUTES = 256, /* what `weir routes` computes, and how */
    CLI_TAKES_PLOT = 512,
    CLI_TAKES_FROM = 1024,        /* the format that a topology is read in */
    CLI_TAKES_GRAPH = 2048,       /* where a topology is written, and in which format */
    CLI_TAKES_GENERATE = 4096,    /* --set and --seed, of a generator */
    CLI_TAKES_STUDY = 8192,       /* what is varied, how often, and what is measured */
    CLI_TAKES_CHECKPOINT = 16384, /* when to write one */
    CLI_TAKES_REPORT = 32768,     /* whether a run writes its report too */
    CLI_TAKES_PAGE = 65536,       /* where a report is written, and whether over what is there */
    CLI_TAKES_WATCH = 131072,
    CLI_TAKES_PICTURES = 262144, /* where pictures of a run are written, and as what */
    CLI_TAKES_LINKS = 524288,    /* whether links are listed */
    CLI_TAKES_EXPORT = 1048576,  /* where an export is written, and as what */
    CLI_TAKES_IMPORT = 2097152   /* where a scenario is written */
} cli_takes;

/* A command line, taken apart. Texts belong to argv, except `sets`. */
typedef struct cli_args {
    bool help, version;
    const char *output;
    char **sets; /* [n_sets] "path=value", in the order of the command line */
    size_t n_sets;
    char **set_by; /* [n_sets] the option that it is of, as written; null: --set */
    int verbosity; /* -1: errors only; 0; 1: notes too */
    bool no_progress, json, force, schema, verify;
    const char *metric, *algorithm, *device,
        *pairs;        /* of `weir routes`, `device` of `weir study` too; null: not given */
    const char **pair; /* [2 * n_pair] of --pair FROM TO, of `weir routes` */
    size_t n_pair;
    const char *lps; /* of `weir analyze`; null: not given */
    uint64_t events; /* 0: not given, as numbers and times below */
    weir_time lookahead_ps;
    const char *against;                    /* of `weir verify`; null: not given */
    const char *operands[CLI_OPERANDS_MAX]; /* what is no option; n_operands may be larger */
    const char *plot, *format, *from;       /* of the topology commands; null: not given */
    const char *shard;                      /* of `weir study`; null: not given */
    uint64_t jobs;
    weir_time run_timeout_ps;
    uint64_t width_mm, font_pt;                /* of `weir plot` */
    weir_time since_ps, until_ps;              /* likewise */
    weir_time checkpoint_ps, checkpoint_at_ps; /* of `weir run` and `weir resume` */
    bool dry_run, list_metrics, yes, keep_runs, retry, report, once, links, grey;
    int n_operands;
} cli_args;

typedef struct cli_command {
    const char *name;     /* as typed, "run" or "topology info" */
    const char *summary;  /* one line for the list of commands */
    const char *operands; /* for the usage line, such as "SCENARIO" */
    int operands_min, operands_max;
    unsigned takes;       /* cli_takes */
    const char *details;  /* a paragraph below the usage line; may be null */
    const char *examples; /* lines of the form "  weir run a.yaml    what it does" */
    /* What it has to say goes into `diag`. The status makes the exit code, unless *code is set (it is -1). Null: help, which
     * the dispatcher gives itself. */
    weir_status (*run)(weir_diag *diag, const cli_args *args, int *code);
} cli_command;

/* The table of commands, in the order of the help. */
const cli_command *cli_commands(size_t *count);
/* Finds the command that the first of n words name, and in *named how many of them do. Null when there is none: then
 * `diag`, where it is given, says so, with the nearest name. */
const cli_command *cli_find_command(weir_diag *diag, int n, char *const *words, int *named);

/*
 * Take a command line apart. argv[0] is skipped; options and operands may be mixed; "--" ends the options.
 *
 * Owner:   args is to be freed by cli_args_free, on failure too.
 * Returns: WEIR_OK; WEIR_E_ARG with one message that names the option (and the nearest right one);
 * WEIR_E_NOMEM. With --help or --version nothing is said about operands.
 */
WEIR_NODISCARD weir_status cli_parse(weir_diag *diag, const cli_command *command, int argc, char **argv,
                                     cli_args *args);
/* Where a message says that something is: an option as written, in place of the `--set` that it stands for. Valid until
 * the command line is freed. */
const char *cli_place(const char *file);
/* Frees what cli_parse has allocated. */
void cli_args_free(cli_args *args);

/* Write the help of one command, or (null) of weir, to stdout. */
void cli_help(const cli_command *command);
/* The help of commands that share a first word, "topology" or "analyze"; false where there are none. */
bool cli_help_group(const char *word);

/* Print what `diag` holds to stderr, and clear it. Verbosity as in cli_args. */
void cli_print_messages(weir_diag *diag, int verbosity);
/* The same under mpirun, where all ranks have the same to say: one of them does. */
void cli_print_once(weir_diag *diag, const cli_args *args);
/* Exit code for a status. */
int cli_exit_code(weir_status status);
/* Loads the scenario of the first operand with all --set. Where it cannot be used, *code says so. */
WEIR_NODISCARD weir_status cli_load_scenario(weir_diag *diag, const cli_args *args, int *code,
                                             weir_scenario **out);
/* Prints a value as JSON, and releases it. */
WEIR_NODISCARD weir_status cli_print_json(weir_diag *diag, json_t *root);
/* Flush stdout: CLI_FAILED, with a message, when what was printed did not arrive (a full disk), else `code`.
 */
int cli_finish_stdout(int code);

/* commands/info_trace.c: print what the trace that the first operand names holds. What wi_job_read returns. */
WEIR_NODISCARD weir_status cli_info_trace(weir_diag *diag, const cli_args *args);
/* commands/study_table.c: print the aggregate.csv of a study's folder: a row a parameter set with its metrics, means and
 * half intervals; where they are many, a row each. The first rows alone where there are many. WEIR_E_IO, WEIR_E_FORMAT, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status cli_print_aggregate(weir_diag *diag, const char *folder);
/* The same as a list of objects, all rows and columns: *out is a new reference on every path. */
WEIR_NODISCARD weir_status cli_aggregate_json(weir_diag *diag, const char *folder, json_t **out);

/* The whole command; what main returns. */
int cli_main(int argc, char **argv);

/* ---- the commands: each as cli_command.run ---- */

#define CLI_COMMAND(name) \
    weir_status cli_##name(weir_diag *diag, const cli_args *args, int *code __attribute__((unused)))
CLI_COMMAND(run);
CLI_COMMAND(resume);
CLI_COMMAND(watch);
CLI_COMMAND(plot);
CLI_COMMAND(report);
CLI_COMMAND(export);
CLI_COMMAND(import);
CLI_COMMAND(study);
CLI_COMMAND(check);
CLI_COMMAND(info);
CLI_COMMAND(routes);
CLI_COMMAND(analyze_parallelism);
CLI_COMMAND(verify);
CLI_COMMAND(topology_info);
CLI_COMMAND(topology_models);
CLI_COMMAND(topology_names);
CLI_COMMAND(topology_generate);
CLI_COMMAND(topology_convert);
CLI_COMMAND(version);
