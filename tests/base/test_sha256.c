/* The examples of FIPS 180-4 and NIST's file of short and long messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void examples(void **state)
{
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[WI_SHA256_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wi_sha256(cases[i].text, strlen(cases[i].text), text);
        assert_string_equal(text, cases[i].digest);
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    wi_sha256(million, 1000000, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void no_file(void **state)
{
    char text[WI_SHA256_TEXT] = "x";
    (void)state;
    assert_int_not_equal(wi_sha256_file("/nowhere", text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(no_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
