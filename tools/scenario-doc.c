/* Writes docs/scenario.md from the table of keys that checks scenario files: `scenario-doc FILE`; `make docs`
 * calls it. */
#include <stdio.h>
#include <stdlib.h>

#include "weir/scenario.h"

int main(int argc, char **argv)
{
    char *text = weir_scenario_markdown();
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    int failed = !text || !out || fputs(text, out) == EOF;
    if (out && fclose(out) != 0)
        failed = 1;
    if (failed)
        fprintf(stderr, "scenario-doc: %s\n",
                argc != 2 ? "usage: scenario-doc FILE" : "the file cannot be written");
    free(text);
    return failed;
}
