/* Pinned down: the text of values that JSON has no form for, and order of keys. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "output/json.h"
#include "output/results/remove_tree.h"
#include "output/scratch.h"

static void values_and_order(void **state)
{
    (void)state;
    json_t *root = json_object();
    json_object_set_new(root, "z", wi_json_count(42));
    json_object_set_new(root, "digest", wi_json_hex(0xfedcba9876543210));
    json_object_set_new(root, "a", wi_json_real(0.1));
    json_object_set_new(root, "nan", wi_json_real(NAN));
    json_object_set_new(root, "many", wi_json_count(UINT64_MAX));
    char *text = wi_json_text(root);
    assert_string_equal(text, "{\n  \"z\": 42,\n  \"digest\": \"0xfedcba9876543210\",\n  \"a\": 0.1,\n"
                              "  \"nan\": null,\n  \"many\": 1.84467440737096e19\n}\n");
    assert_non_null(scratch_make());
    assert_int_equal(wi_json_put(NULL, scratch_folder, "summary.json", root), WEIR_OK);
    char *back = read_text(scratch_path("summary.json"));
    assert_string_equal(back, text);
    free(back);
    free(text);
    json_decref(root);
    assert_int_equal(wi_json_put(NULL, scratch_folder, "x.json", NULL), WEIR_E_NOMEM);
    assert_int_equal(wi_remove_tree(scratch_folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_and_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
