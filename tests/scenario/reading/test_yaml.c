/* The YAML layer: what is a tree, where its nodes stand, what is refused, and that limits hold. */
#include "scenario/load.h"
#include "schema/yaml.h"

static wi_node *parse(weir_arena *arena, const char *text)
{
    wi_node *root = NULL;
    weir_diag *diag = weir_diag_new();
    if (wi_yaml_parse(diag, arena, &(wi_yaml_text){"s.yaml", text, strlen(text)}, NULL, &root) != WEIR_OK)
        print_messages(diag);
    weir_diag_free(diag);
    assert_non_null(root);
    return root;
}

static void tree_has_places(void **state)
{
    weir_arena *arena = weir_arena_new(0);
    (void)state;
    const wi_node *root = parse(arena, "a: 1\nb:\n  - x\n  - {c: \"two words\", \xc3\xa4: ~}\n");
    assert_int_equal(root->type, WI_MAPPING);
    assert_int_equal(root->n, 2);
    const wi_node *b = wi_node_child(root, "b");
    assert_int_equal(b->type, WI_SEQUENCE);
    assert_int_equal(b->key_place.line, 2);
    assert_int_equal(b->key_place.column, 1);
    assert_string_equal(b->first->text, "x");
    const wi_node *c = wi_node_child(b->last, "c");
    assert_string_equal(c->text, "two words");
    assert_false(c->plain);
    assert_int_equal(c->place.line, 4);
    assert_int_equal(c->place.column, 9);
    const wi_node *nothing = wi_node_child(b->last, "\xc3\xa4"); /* columns count characters, not bytes */
    assert_true(wi_node_is_null(nothing));
    assert_int_equal(nothing->key_place.column, 22);
    assert_int_equal(nothing->place.column, 25);
    assert_null(wi_node_child(root, "z"));
    weir_arena_free(arena);
}

/* An alias is a copy, with the places of its anchor; the newest anchor of a name counts. */
static void aliases_copy(void **state)
{
    weir_arena *arena = weir_arena_new(0);
    (void)state;
    const wi_node *root = parse(arena, "a: &q {x: 1, y: [2, 3]}\nb: *q\nc: &q 4\nd: *q\n");
    const wi_node *a = wi_node_child(root, "a"), *b = wi_node_child(root, "b");
    assert_ptr_not_equal(a, b);
    assert_int_equal(b->n, 2);
    assert_string_equal(wi_node_child(b, "y")->last->text, "3");
    assert_int_equal(wi_node_child(b, "y")->place.line, 1);
    assert_string_equal(wi_node_child(root, "d")->text, "4");
    weir_arena_free(arena);
}

/* 2^30 leaves from a few lines ("billion laughs") stop at the limit of values. */
static void alias_bombs_stop(void **state)
{
    char text[2000] = "a0: &a0 [x, x]\n";
    (void)state;
    for (int i = 1; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1,
                 i - 1);
    EXPECT(WEIR_E_FORMAT, text, "18:18: error: more than 1000000 values");
}

static void depth_is_bounded(void **state)
{
    char text[1000];
    (void)state;
    memset(text, '[', 200);
    text[200] = '\0';
    EXPECT(WEIR_E_FORMAT, text, "1:66: error: nested deeper than 64 levels");
    /* the same by an alias of 40 levels inside 40 */
    char *at = text + sprintf(text, "a: &a ");
    memset(at, '[', 40);
    memset(at + 40, ']', 40);
    at += 80 + sprintf(at + 80, "\nb: ");
    memset(at, '[', 40);
    at += 40 + sprintf(at + 40, "*a");
    memset(at, ']', 40);
    at[40] = '\0';
    EXPECT(WEIR_E_FORMAT, text, "2:44: error: nested too deep by this alias");
}

static void keys_are_bounded(void **state)
{
    char *text = malloc(10000), *at = text;
    (void)state;
    for (int i = 0; i < 300; i++)
        at += sprintf(at, "k%d: 1\n", i);
    EXPECT(WEIR_E_FORMAT, text, "257:1: error: more than 256 keys in one section");
    free(text);
}

static void refuses_what_scenarios_do_not_need(void **state)
{
    (void)state;
    EXPECT(WEIR_E_FORMAT, "a: 1\n---\nb: 1\n", "2:1: error: a second document begins here");
    EXPECT(WEIR_E_FORMAT, "a: !!int 1\n", "1:4: error: tags are not supported");
    EXPECT(WEIR_E_FORMAT, "a: &x {b: 1}\nc: {<<: *x}\n", "2:5: error: merge keys ('<<') are not supported");
    EXPECT(WEIR_E_FORMAT, "[a]: 1\n", "1:1: error: a key must be a word");
    EXPECT(WEIR_E_FORMAT, "a: *x\n", "1:4: error: alias '*x' has no anchor '&x' before it");
    EXPECT(WEIR_E_FORMAT, "a: &x [*x]\n", "1:8: error: alias '*x' stands inside its own anchor");
    EXPECT(WEIR_E_FORMAT, "a: \"\\0\"\n", "1:4: error: a text must not hold a zero character");
}

static void broken_files_have_a_place(void **state)
{
    (void)state;
    EXPECT(WEIR_E_FORMAT, "", "1:1: error: there is nothing in this file");
    EXPECT(WEIR_E_FORMAT, "# nothing but a comment\n", "1:1: error: there is nothing in this file");
    EXPECT(WEIR_E_FORMAT, "a: {b: [1,\n2", "3:1: error: bad YAML: ");
    EXPECT(WEIR_E_FORMAT, "a: 1\n\tb: 2\n", "2:1: error: bad YAML: found a tab character");
    EXPECT(WEIR_E_FORMAT, "a: b: c\n", "1:5: error: bad YAML: mapping values are not allowed");
    EXPECT(WEIR_E_FORMAT, "a: 1\nb: \xff\xfe\n", "2:4: error: this is not text as YAML wants it (UTF-8)");
    EXPECT(WEIR_E_FORMAT, "just words\n", "1:1: error: a scenario is a section of keys");
    EXPECT(WEIR_E_FORMAT, "- a\n- b\n", "1:1: error: a scenario is a section of keys");
    static const char binary[] = "\x7f"
                                 "ELF\0\1\2\3";
    const char *const want[] = {"1:1: error: this is not text as YAML wants it (UTF-8): control characters"};
    expect_with(binary, sizeof binary, NULL, 0, WEIR_E_FORMAT, want, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_has_places),           cmocka_unit_test(aliases_copy),
        cmocka_unit_test(alias_bombs_stop),          cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(keys_are_bounded),          cmocka_unit_test(refuses_what_scenarios_do_not_need),
        cmocka_unit_test(broken_files_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
