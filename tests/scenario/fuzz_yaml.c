/*
 * Any bytes as a scenario, and as a --set on a good one: no crash, errors exactly when there is no scenario,
 * and a scenario that is written loads again and is written the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static char *resolved(const weir_scenario *s, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    must(out && weir_scenario_write(NULL, s, out) == WEIR_OK);
    fclose(out);
    return text;
}

static void round_trip(const weir_scenario *s)
{
    size_t n_once, n_twice;
    weir_scenario *again;
    char *once = resolved(s, &n_once);
    must(weir_scenario_parse(NULL, "again", once, n_once, NULL, NULL, 0, &again) == WEIR_OK);
    char *twice = resolved(again, &n_twice);
    must(n_once == n_twice && memcmp(once, twice, n_once) == 0);
    weir_scenario_free(again);
    free(once);
    free(twice);
}

static void parse(const char *text, size_t size, const char *const *sets, size_t n_sets)
{
    weir_scenario *s;
    weir_diag *diag = weir_diag_new();
    const weir_status st = weir_scenario_parse(diag, "fuzz", text, size, NULL, sets, n_sets, &s);
    must((st == WEIR_OK) == (s != NULL));
    must(!diag || (st == WEIR_OK) == (weir_diag_errors(diag) == 0));
    if (s)
        round_trip(s);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char basic[] =
        "weir: 1\nduration: 1s\ntopology: {generate: {model: star}}\n"
        "traffic: [{name: a, tcp: {}, from: x, to: y}, {name: b, udp: {rate: 1Mbps}, pairs: all}]\n";
    parse((const char *)data, size, NULL, 0);
    if (size < 200) {
        char set[200];
        memcpy(set, data, size);
        set[size] = '\0';
        const char *const sets[] = {set};
        parse(basic, sizeof basic - 1, sets, 1);
    }
    return 0;
}
