/* What a star of hosts is refused for. */
#ifndef TESTS_SCENARIO_NETWORK_REFUSED_H
#define TESTS_SCENARIO_NETWORK_REFUSED_H

#include <stdio.h>

#include "diag.h"
#include "scenario/run_text.h"

/* A star with `topology` beside its generator, and `more` after its traffic, is refused: in line 3, with `part` in the message. */
static inline void star_is_refused(const char *topology, const char *more, const char *part)
{
    char text[2000];
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1ms\ntopology: {generate: {model: star}, %s}\ntraffic: [{name: c, from: h0, "
             "to: h1, tcp: {}}]\n%s",
             topology, more);
    assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
    const weir_message *m = weir_diag_get(diag, 0);
    if (!m || !strstr(m->text, part) || m->line != 3)
        fail_msg("%s: '%s' in line %d, want '%s'", topology, m ? m->text : "", m ? m->line : 0, part);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

#endif
