/* `weir complete WORDS...`: what may stand for the last of these words. Completions of shells ask it; no help names it. */
#include <stdio.h>
#include <string.h>

#include "cli/pages.h"
#include "weir/topology.h"

/* A line a word that begins with `begin`: the word, a tab, and what it does; or that files or folders may stand here. */
static void offer(const char *begin, const char *word, size_t length, const char *text)
{
    if (length >= strlen(begin) && strncmp(word, begin, strlen(begin)) == 0)
        printf("%.*s\t%s\n", (int)length, word, text);
}

static void offer_words(const char *begin, const char *words)
{
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (*at == '<')
            printf("%.*s\n", (int)length, at);
        else
            offer(begin, at, length, "");
        at += length;
    }
}

static void offer_models(const char *begin)
{
    size_t n;
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++)
        offer(begin, all[i]->name, strlen(all[i]->name), all[i]->doc);
}

/* The first words of all commands; or (`group`) the second ones of those with two. */
static size_t offer_commands(const char *begin, const char *group)
{
    size_t n, found = 0;
    const cli_command *commands = cli_commands(&n);
    const size_t skip = group ? strlen(group) + 1 : 0;
    const char *before = "";
    for (size_t i = 0; i < n; i++) {
        const char *name = commands[i].name;
        const size_t length = strcspn(name, " ");
        if (group && (name[length] != ' ' || length + 1 != skip || strncmp(name, group, length) != 0))
            continue;
        if (!group && name[length] == ' ') {
            if (strncmp(before, name, length + 1) != 0)
                offer(begin, name, length, "commands that begin with it");
            before = name;
        } else {
            offer(begin, name + skip, strlen(name + skip), commands[i].summary);
        }
        found++;
    }
    return found;
}

static const cli_option *option_named(const cli_command *command, const char *word)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        const cli_option *o = &cli_options[i];
        const bool is_long = strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0,
                   is_short = o->letter && word[0] == '-' && word[1] == o->letter && !word[2];
        if ((is_long || is_short) && cli_takes_option(command, o))
            return o;
    }
    return NULL;
}

static void offer_options(const cli_command *command, const char *begin)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", cli_options[i].name);
        if (!command || cli_takes_option(command, &cli_options[i]))
            offer(begin, name, strlen(name), cli_options[i].doc);
    }
}

static void offer_operands(const cli_command *command, const char *begin)
{
    const char *operands = command->operands;
    if (strstr(operands, "COMMAND"))
        offer_commands(begin, NULL);
    if (strstr(operands, "MODEL"))
        offer_models(begin);
    if (strstr(operands, "FILE") || strstr(operands, "SCENARIO") || strstr(operands, "RUN"))
        puts("<files>");
}

int cli_complete(int n, char *const *words)
{
    const char *begin = n > 0 ? words[n - 1] : "";
    int named = 0;
    if (n <= 1) {
        offer_commands(begin, NULL);
        offer_words(begin, "--help --version");
        return CLI_OK;
    }
    const cli_command *command = cli_find_command(NULL, n - 1, words, &named);
    const cli_option *option = command ? option_named(command, words[n - 2]) : NULL;
    if (!command && n == 2 && offer_commands(begin, words[0]))
        offer_words(begin, "--help");
    else if (option && option->value)
        offer_words(begin, option->words);
    else if (command && begin[0] == '-')
        offer_options(command, begin);
    else if (command)
        offer_operands(command, begin);
    return CLI_OK;
}
