/* weir info and weir version: what a bug report needs. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/terminal/cli.h"
#include "cli/build_commit.h"
#include "cli/build_info.h"
#include "weir/engine.h"

typedef struct feature {
    const char *name, *state, *package;
} feature;

static const feature features[] = {WEIR_BUILD_FEATURES{NULL, NULL, NULL}};

static void print_features(void)
{
    printf("features\n");
    for (const feature *f = features; f->name; f++) {
        if (f->state[0])
            printf("  in   %s\n", f->name);
        else
            printf("  out  %s (needs %s when weir is built)\n", f->name, f->package);
    }
}

/* On one line those features that are in, or those that are out; nothing where there are none. What is for tests alone stands in
 * parentheses, and only weir info tells of it. */
static void print_names(const char *word, bool in)
{
    const char *before = " ";
    for (const feature *f = features; f->name; f++) {
        if ((f->state[0] != '\0') != in || strchr(f->name, '('))
            continue;
        printf("%s%s%s", before[0] == ' ' ? word : "", before, f->name);
        before = ", ";
    }
    if (before[0] == ',')
        putchar('\n');
}

static void print_machine(void)
{
    struct utsname name;
    if (uname(&name) == 0)
        printf("system     %s %s %s\n", name.sysname, name.release, name.machine);
    printf("devices\n  cpu  %ld cores, %.1f GB of memory\n", sysconf(_SC_NPROCESSORS_ONLN),
           1e-9 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
    char text[256];
    for (int i = 0; weir_gpu_describe(i, text, sizeof text) || i == 0; i++)
        printf("  gpu  %s\n", text);
}

/* The names of features that are in, and of those that are out. */
static json_t *features_json(bool in)
{
    json_t *list = json_array();
    for (const feature *f = features; f->name; f++)
        if ((f->state[0] != '\0') == in)
            json_array_append_new(list, json_string(f->name));
    return list;
}

static json_t *to_json(void)
{
    struct utsname name = {0};
    char text[256];
    json_t *gpus = json_array();
    (void)uname(&name);
    for (int i = 0; weir_gpu_describe(i, text, sizeof text); i++)
        json_array_append_new(gpus, json_string(text));
    json_t *const o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:o}", "weir", WEIR_VERSION, "commit",
                  WEIR_BUILD_COMMIT, "compiler", WEIR_BUILD_COMPILER, "build", WEIR_BUILD_TYPE, "libraries",
                  WEIR_BUILD_LIBRARIES, "features", features_json(true), "features_out", features_json(false),
                  "system", name.sysname, "cores", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "gpus", gpus);
    if (json_array_size(gpus) == 0)
        json_object_set_new(o, "gpus_because", json_string(text));
    return o;
}

CLI_COMMAND(info)
{
    if (args->n_operands > 0)
        return cli_info_trace(diag, args);
    if (args->json)
        return cli_print_json(diag, to_json());
    printf("weir       %s (%s)\n", WEIR_VERSION, WEIR_BUILD_COMMIT);
    printf("compiler   %s\n", WEIR_BUILD_COMPILER);
    printf("build      %s%s%s%s%s\n", WEIR_BUILD_TYPE, WEIR_BUILD_ARCH[0] ? ", -march=" : "", WEIR_BUILD_ARCH,
           WEIR_BUILD_SANITIZE[0] ? ", -fsanitize=" : "", WEIR_BUILD_SANITIZE);
    printf("libraries  %s\n", WEIR_BUILD_LIBRARIES);
    print_features();
    print_machine();
    return WEIR_OK;
}

CLI_COMMAND(version)
{
    if (args && args->json) /* `weir --version` has none */
        return cli_print_json(diag, json_pack("{s:s, s:s, s:o, s:o}", "weir", WEIR_VERSION, "commit",
                                              WEIR_BUILD_COMMIT, "features", features_json(true),
                                              "features_out", features_json(false)));
    printf("weir %s (%s)\n", WEIR_VERSION, WEIR_BUILD_COMMIT);
    print_names("with", true);
    print_names("without", false);
    return WEIR_OK;
}
