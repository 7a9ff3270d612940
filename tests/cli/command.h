/* The built command as a test runs it: in a scratch folder, through a shell, with what it says kept. */
#ifndef TESTS_CLI_COMMAND_H
#define TESTS_CLI_COMMAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/scratch.h"

#define WEIR WEIR_BINARY_DIR "/src/cli/weir"

/* What the last command said on standard output and standard error. */
static char out_text[1 << 16], err_text[1 << 16];

/* Enters a scratch folder of its own; leaves and removes it. For cmocka's setup and teardown. */
static inline int enter_scratch(void **state)
{
    (void)state;
    return scratch_make() && chdir(scratch_folder) == 0 ? 0 : -1;
}

static inline int leave_scratch(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof line, "rm -rf %s", scratch_folder);
    return chdir("/") == 0 ? system(line) : -1;
}

static inline void put(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

static inline void slurp(const char *name, char *text, size_t size)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

/* Runs `weir ARGUMENTS`; returns its exit code. */
static inline int weir(const char *arguments)
{
    char line[1024];
    assert_in_range(snprintf(line, sizeof line, "'%s' %s >.out 2>.err </dev/null", WEIR, arguments), 1,
                    sizeof line - 1);
    const int status = system(line);
    slurp(".out", out_text, sizeof out_text);
    slurp(".err", err_text, sizeof err_text);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* It must end with this code, and these words must be in what it says on standard output and error. */
static inline void assert_says(const char *arguments, int code, const char *out, const char *err)
{
    const int got = weir(arguments);
    if (got != code || !strstr(out_text, out) || !strstr(err_text, err))
        fail_msg("weir %s: exit %d, wanted %d with '%s' and '%s'; it said:\n%s\n%s", arguments, got, code,
                 out, err, out_text, err_text);
}

/* The same of standard error alone. */
static inline void assert_weir(const char *arguments, int code, const char *message)
{
    assert_says(arguments, code, "", message);
}

#endif
