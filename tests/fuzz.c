/*
 * A fuzz target without libFuzzer: over its corpus, and over random changes of it that follow from a seed, so that any build
 * can run it. `make fuzz` looks for what this does not find, by what code is reached.
 *   FOLDER_fuzz_NAME CORPUS [CHANGES [SEED]]      so many changed files in all
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "splitmix.h"

enum { LONGEST = 1 << 16, FILES = 1024, CHANGES = 4000 };

typedef struct input {
    size_t n;
    uint8_t *bytes;
} input;

static input corpus[FILES];
static uint32_t n_files;
static uint64_t state = 1;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);
void __sanitizer_print_stack_trace(void) __attribute__((weak));

/* Functions of files that the preset `readers` compiles without sanitizers, as no reader would reach them, begin with this. */
void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)function, (void)caller;
    fprintf(stderr,
            "a reader reaches what has no sanitizer here: see WEIR_READERS in cmake/WeirFolder.cmake\n");
    if (__sanitizer_print_stack_trace)
        __sanitizer_print_stack_trace();
    abort();
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function, (void)caller;
}

/* In a block of its own, so that a sanitizer sees what reads past its end. */
static void run(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, n);
    (void)LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

static uint32_t below(size_t n)
{
    return n ? rnd_below(&state, (uint32_t)n) : 0;
}

/* A piece of another file, or of this one, in place of a piece: a deletion, a repetition, a splice. */
static size_t replace_piece(uint8_t *bytes, size_t n, const input *other)
{
    const size_t from = below(n + 1), gone = below(n - from + 1) >> below(8);
    const size_t piece = below(other->n + 1), more = (below(other->n - piece + 1)) >> below(8);
    if (n - gone + more > LONGEST)
        return n;
    memmove(bytes + from + more, bytes + from + gone, n - from - gone);
    memcpy(bytes + from, other->bytes + piece, more);
    return n - gone + more;
}

static size_t change(uint8_t *bytes, size_t n)
{
    static const char marks[] = "0123456789-+.eE:,{}[]\"'#<>=/ \t\n\\\xff\x00";
    switch (below(4)) {
    case 0:
        if (n)
            bytes[below(n)] ^= (uint8_t)(1u << below(8));
        return n;
    case 1:
        if (n)
            bytes[below(n)] = (uint8_t)marks[below(sizeof marks)];
        return n;
    default:
        return replace_piece(bytes, n, &corpus[below(n_files)]);
    }
}

static bool read_corpus(const char *folder)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        static uint8_t bytes[LONGEST];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        FILE *f = entries[i]->d_name[0] == '.' || n_files == FILES ? NULL : fopen(path, "rb");
        if (f) {
            input *in = &corpus[n_files++];
            in->n = fread(bytes, 1, sizeof bytes, f);
            in->bytes = malloc(in->n + 1);
            if (!in->bytes)
                return false;
            memcpy(in->bytes, bytes, in->n);
            fclose(f);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return n_files > 0;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[LONGEST];
    const uint32_t changes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : CHANGES;
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (argc < 2 || !read_corpus(argv[1])) {
        fprintf(stderr, "usage: %s CORPUS [CHANGES [SEED]]; no corpus\n", argv[0]);
        return 2;
    }
    run(bytes, 0);
    for (uint32_t i = 0; i < n_files; i++) {
        run(corpus[i].bytes, corpus[i].n);
        for (uint32_t k = i; k < changes; k += n_files) {
            size_t n = corpus[i].n;
            memcpy(bytes, corpus[i].bytes, n);
            for (uint32_t times = 1 + below(4); times > 0; times--)
                n = change(bytes, n);
            run(bytes, n);
        }
    }
    for (uint32_t i = 0; i < n_files; i++)
        free(corpus[i].bytes);
    printf("%u files, %u changes\n", n_files, changes);
    return 0;
}
