/*
 * --json for every benchmark: its table as JSON on stdout, with the machine, the processors, weir's version and the
 * compiler's flags beside it. Linked into each with the linker's --wrap=main, so that a benchmark prints its table and
 * knows nothing of this.
 *
 * Each line of the table is {"text": as printed, "words": what stands before its first number, "numbers": [...]}; a line
 * without numbers (a title, the heads of the columns) has its text alone.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static struct {
    FILE *text; /* what the benchmark printed */
    int out;    /* stdout before */
    double began_s;
} kept;

/* The processor's name, as Linux has it. */
static json_t *machine(void)
{
    char line[512] = "", *at = NULL;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && !at && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0)
            at = strchr(line, ':');
    if (f)
        fclose(f);
    return json_string(at ? strtok(at + 2, "\n") : "unknown");
}

/* A number alone, or with a unit sign behind it: 3, 1.5e9, 71%, 12.5x. */
static bool is_number(const char *token, double *value)
{
    char *end = NULL;
    *value = strtod(token, &end);
    return end != token && strspn(end, "%x,*)") == strlen(end);
}

static json_t *line_of(char *text)
{
    json_t *line = json_pack("{s:s}", "text", text), *numbers = json_array();
    char words[512] = "";
    for (char *token = strtok(text, " \t|"); token; token = strtok(NULL, " \t|")) {
        double value;
        if (is_number(token, &value))
            json_array_append_new(numbers, json_real(value)); /* infinities and NaN are left out */
        else if (json_array_size(numbers) == 0 && strlen(words) + strlen(token) + 2 < sizeof words)
            strcat(strcat(words, words[0] ? " " : ""), token);
    }
    if (json_array_size(numbers) > 0) {
        json_object_set_new(line, "words", json_string(words));
        json_object_set_new(line, "numbers", numbers);
    } else {
        json_decref(numbers);
    }
    return line;
}

static void report(void)
{
    char *text = NULL;
    size_t size = 0;
    json_t *lines = json_array();
    fflush(stdout);
    dup2(kept.out, STDOUT_FILENO);
    rewind(kept.text);
    while (getline(&text, &size, kept.text) > 0) {
        text[strcspn(text, "\n")] = '\0';
        if (text[strspn(text, " ")] != '\0')
            json_array_append_new(lines, line_of(text));
    }
    free(text);
    json_t *all =
        json_pack("{s:s, s:o, s:I, s:s, s:s, s:f, s:o}", "bench", program_invocation_short_name, "machine",
                  machine(), "processors", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "version", WEIR_VERSION,
                  "build", WEIR_BUILD, "seconds", bench_wall_s() - kept.began_s, "lines", lines);
    if (!all || json_dumpf(all, stdout, JSON_INDENT(2)) != 0)
        fprintf(stderr, "%s: no JSON could be made\n", program_invocation_short_name);
    printf("\n");
    json_decref(all);
}

/* Everything printed goes to a file until the program ends. */
static void keep(void)
{
    kept.text = tmpfile();
    kept.out = dup(STDOUT_FILENO);
    kept.began_s = bench_wall_s();
    if (!kept.text || kept.out < 0 || dup2(fileno(kept.text), STDOUT_FILENO) < 0 || atexit(report) != 0)
        bench_fail("no temporary file for --json");
}

int __wrap_main(int argc, char **argv)
{
    int n = 1;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else
            argv[n++] = argv[i];
    }
    argv[argc > 0 ? n : 0] = NULL;
    if (json)
        keep();
    return __real_main(argc > 0 ? n : 0, argv);
}
