/* weir(1). */
#include "cli/pages.h"

/* A text of roff: its hyphens are those that one types, and no line of it begins a request. */
static void put(FILE *out, const char *text, bool lines)
{
    bool begins = true;
    for (const char *c = text; *c; c++) {
        if (begins && lines && *c == ' ') /* examples are indented by the page */
            continue;
        if (begins && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '-')
            fputs("\\-", out);
        else if (*c == '\\')
            fputs("\\e", out);
        else
            fputc(*c, out);
        begins = *c == '\n';
    }
}

static void put_synopsis(FILE *out)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s.B weir %s\n", i ? ".br\n" : "", commands[i].name);
        if (commands[i].takes || commands[i].operands[0])
            fprintf(out, ".RI %s\"%s\"\n", commands[i].takes ? "[ options ] \" \" " : "",
                    commands[i].operands);
    }
}

static void put_command(FILE *out, const cli_command *command)
{
    fprintf(out, ".SS weir %s %s\n", command->name, command->operands);
    put(out, command->summary, false);
    fputs(".", out);
    if (command->details) {
        fputs("\n.PP\n", out);
        put(out, command->details, false);
    }
    fputs("\n.PP\nOptions:", out);
    const char *between = " ";
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_takes_option(command, &cli_options[i])) {
            fprintf(out, "%s\\-\\-", between);
            put(out, cli_options[i].name, false);
            between = ", ";
        }
    fputs(".\n.PP\n.nf\n", out);
    put(out, command->examples, true);
    fputs(".fi\n", out);
}

static void put_option(FILE *out, const cli_option *option)
{
    fputs(".TP\n\\fB", out);
    if (option->letter)
        fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    fputs("\\-\\-", out);
    put(out, option->name, false);
    fputs("\\fR", out);
    if (option->value) {
        fputs(" \\fI", out);
        put(out, option->value, false);
        fputs("\\fR", out);
    }
    fputs("\n", out);
    put(out, option->doc, false);
    fputs("\n", out);
}

void cli_write_man(FILE *out)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    fprintf(out,
            ".TH WEIR 1 \"\" \"weir %s\" \"User Commands\"\n.SH NAME\nweir \\- simulate large networks\n",
            WEIR_VERSION);
    fputs(".SH SYNOPSIS\n", out);
    put_synopsis(out);
    fputs(".SH DESCRIPTION\n"
          "weir simulates a network, packet by packet where a scenario asks for it.\n"
          "One YAML file says which network, which traffic and what is written; the same file and seed give\n"
          "the same result, bit for bit, on every machine and engine.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; i < n; i++)
        put_command(out, &commands[i]);
    fputs(".SH OPTIONS\nOptions that a command does not take are errors.\n", out);
    for (size_t i = 0; i < cli_n_options; i++)
        put_option(out, &cli_options[i]);
    fputs(
        ".SH SIGNALS\n"
        "The first SIGINT, SIGTERM or SIGHUP stops a run at the next consistent point; what was gathered is\n"
        "written and marked as partial.\n"
        "The second ends the process at once.\n"
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nGood.\n"
        ".TP\n.B 1\nThe run failed or was stopped; results cannot be written; runs that verify compared "
        "differ.\n"
        ".TP\n.B 2\nBad usage or a bad scenario.\n",
        out);
}
