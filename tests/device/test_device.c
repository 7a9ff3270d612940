/*
 * label: emulated
 *
 * The device layer where there is no device, and its accounting where there is one (or the emulated one): every
 * refusal names who wanted a device and what else there is, memory is counted, and closing twice does no harm.
 */
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#include "device/device.h"

static void no_such_device(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    wi_device d;
    char why[200] = "";
    assert_int_equal(wi_device_open(diag, &d, 1000, "the test", "use the CPU"), WEIR_E_UNSUPPORTED);
    assert_int_equal(weir_diag_count(diag), 1);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "the test: "));
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "; use the CPU"));
    wi_device_close(&d);
    wi_device_close(&d);
    assert_false(wi_device_select(1000, why, sizeof why));
    assert_true(strlen(why) > 0);
    assert_false(wi_device_describe(-1, why, sizeof why));
    assert_memory_equal(why, "none", 4);
    weir_diag_free(diag);
}

/* Without a driver CUDA says that the driver is too old; here it is said that there is none. Shown where the device is emulated,
 * and on machines that have none. */
static void no_driver_is_named(void **state)
{
    char why[200] = "";
    (void)state;
    setenv("EMULATED_DRIVER", "none", 1);
    const bool present = wi_device_present(why, sizeof why);
    unsetenv("EMULATED_DRIVER");
    if (present || strstr(why, "without CUDA") || strstr(why, "none found"))
        print_message("there is a driver, or weir has no CUDA: %s\n", why);
    else
        assert_non_null(strstr(why, "no GPU driver (libcuda.so.1)"));
}

static void memory_is_counted(void **state)
{
    (void)state;
    enum { BYTES = 1000, MANY = 100 };
    weir_diag *diag = weir_diag_new();
    wi_device d;
    char why[200];
    void *at[MANY] = {NULL}, *one = NULL;
    if (!wi_device_present(why, sizeof why)) {
        print_message("no device here: %s\n", why);
        weir_diag_free(diag);
        return;
    }
    expect_ok(diag, wi_device_open(diag, &d, 0, "the test", "use the CPU"));
    for (int i = 0; i < MANY; i++)
        expect_ok(diag, wi_device_allocate(diag, &d, "a piece", BYTES, &at[i]));
    assert_int_equal(d.bytes, MANY * BYTES);
    for (int i = 0; i < MANY; i += 2)
        wi_device_release(&d, at[i]);
    assert_int_equal(d.bytes, MANY / 2 * BYTES);
    wi_device_release(&d, NULL);
    expect_ok(diag, wi_device_allocate_locked(diag, &d, "of the host", BYTES, true, &one));
    assert_int_equal(d.bytes, MANY / 2 * BYTES);
    assert_int_equal(wi_device_allocate(diag, &d, "too much", (uint64_t)1 << 60, &one), WEIR_E_NOMEM);
    assert_null(one);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "too much need"));
    assert_int_equal(d.bytes, MANY / 2 * BYTES);
    wi_device_close(&d);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_such_device), cmocka_unit_test(no_driver_is_named),
                                       cmocka_unit_test(memory_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
