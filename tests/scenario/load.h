/* Scenarios from texts, and comparing the messages that they give. */
#ifndef TESTS_SCENARIO_LOAD_H
#define TESTS_SCENARIO_LOAD_H

#include "diag.h"
#include "weir/scenario.h"

/* A scenario that needs nothing from the file system: two lines to follow with keys of the test's own. */
#define TOPOLOGY "topology: {generate: {model: line, nodes: 3}}\n"
#define TRAFFIC "traffic: [{name: a, tcp: {}, from: x, to: y}]\n"
#define BASIC "weir: 1\nduration: 10s\n" TOPOLOGY TRAFFIC

/* The scenario of a text, which must be good. */
static inline weir_scenario *good(const char *text, const char *const *sets, size_t n_sets)
{
    weir_scenario *s = NULL;
    weir_diag *diag = weir_diag_new();
    expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, sets, n_sets, &s));
    weir_diag_free(diag);
    return s;
}

/* A text must give exactly these messages, in this order: "LINE:COLUMN: SEVERITY: START OF TEXT", without the
 * file's name. */
static inline void expect_with(const char *text, size_t length, const char *const *sets, size_t n_sets,
                               weir_status status, const char *const *messages, size_t n)
{
    weir_scenario *s = NULL;
    weir_diag *diag = weir_diag_new();
    const weir_status st = weir_scenario_parse(diag, "s.yaml", text, length, NULL, sets, n_sets, &s);
    bool same = st == status && weir_diag_count(diag) == n && (s != NULL) == (st == WEIR_OK);
    for (size_t i = 0; same && i < n; i++) {
        char got[2100];
        weir_message_format(weir_diag_get(diag, i), got, sizeof got);
        const char *start = strncmp(got, "s.yaml:", 7) == 0 ? got + 7 : got;
        same = strncmp(start, messages[i], strlen(messages[i])) == 0;
        if (!same)
            print_message("message %zu: want\n  %s\ngot\n  %s\n", i, messages[i], start);
    }
    if (!same) {
        print_messages(diag);
        fail_msg("%s and %zu messages, want %s and %zu, for:\n%s", weir_status_name(st),
                 weir_diag_count(diag), weir_status_name(status), n, text);
    }
    weir_scenario_free(s);
    weir_diag_free(diag);
}

#define EXPECT(status, text, ...)                                                                            \
    do {                                                                                                     \
        const char *const expected_[] = {__VA_ARGS__};                                                       \
        expect_with(text, strlen(text), NULL, 0, status, expected_, sizeof expected_ / sizeof expected_[0]); \
    } while (0)

#endif
