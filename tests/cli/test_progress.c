/* Pinned down: the text of the progress line, that it leaves out what cannot be known, and that a log gets no
 * control codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/terminal/progress.h"

static void text(void **state)
{
    (void)state;
    char out[CLI_PROGRESS_TEXT];
    /* A quarter done in 10 s: 30 s left; 15 s simulated in 10 s: 1.5 times real time. */
    weir_progress p = {15 * WEIR_PS_PER_S, 60 * WEIR_PS_PER_S, 25000000, 10.0, "simulate"};
    assert_string_equal(cli_progress_text(&p, out),
                        "simulate  15 s of 60 s  25 %  2.50 M events/s  1.5x real time  0:30 left");
    p.wall_s = 2000;
    assert_string_equal(cli_progress_text(&p, out),
                        "simulate  15 s of 60 s  25 %  12.5 k events/s  0.0075x real time  1:40:00 left");
    p = (weir_progress){0, 60 * WEIR_PS_PER_S, 0, 0, "simulate"};
    assert_string_equal(cli_progress_text(&p, out), "simulate  0 s of 60 s  0 %");
    p = (weir_progress){60 * WEIR_PS_PER_S, 60 * WEIR_PS_PER_S, 1000, 1, "simulate"};
    assert_string_equal(cli_progress_text(&p, out),
                        "simulate  60 s of 60 s  100 %  1.00 k events/s  60x real time");
    p = (weir_progress){0, 60 * WEIR_PS_PER_S, 0, 3, "routes"};
    assert_string_equal(cli_progress_text(&p, out), "routes");
    p = (weir_progress){1, INT64_MAX, 0, 1e9, "simulate"};
    assert_non_null(strstr(cli_progress_text(&p, out), "over 100 days left"));
}

static void a_log_is_quiet_and_plain(void **state)
{
    (void)state;
    char *text_out = NULL;
    size_t size = 0;
    FILE *log = tmpfile();
    cli_meter meter;
    const weir_progress p = {15 * WEIR_PS_PER_S, 60 * WEIR_PS_PER_S, 25000000, 10.0, "simulate"};
    cli_meter_init(&meter, log, true);
    cli_meter_update(&meter, &p); /* before ten seconds: nothing */
    assert_int_equal(ftell(log), 0);
    meter.last_s -= 11;
    cli_meter_update(&meter, &p);
    cli_meter_update(&meter, &p);
    cli_meter_clear(&meter);
    rewind(log);
    assert_true(getline(&text_out, &size, log) > 0);
    assert_string_equal(text_out,
                        "simulate  15 s of 60 s  25 %  2.50 M events/s  1.5x real time  0:30 left\n");
    assert_int_equal(getline(&text_out, &size, log), -1);
    free(text_out);
    cli_meter_init(&meter, log, false);
    cli_meter_update(&meter, &p);
    assert_null(meter.out);
    fclose(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(a_log_is_quiet_and_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
