/* Pieces of SVG that pictures share. */
#include "output/svg.h"

#include <stdbool.h>

/* Bytes of the character at `c` in UTF-8, 1 for a byte that begins none; *plain: XML may hold it. */
static int character(const unsigned char *c, bool *plain)
{
    const int want = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc0 ? 2 : 1;
    int n = 1;
    while (n < want && (c[n] & 0xc0) == 0x80)
        n++;
    const bool no_character = n == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe; /* U+FFFE, U+FFFF */
    const bool surrogate = n == 3 && c[0] == 0xed && c[1] >= 0xa0;
    *plain =
        n == want && c[0] >= 0x20 && c[0] < 0xf5 && (want > 1 || c[0] < 0x80) && !no_character && !surrogate;
    return n;
}

void wi_svg_text(FILE *out, int x, int y, const char *anchor, const char *more, const char *text)
{
    bool plain;
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\"%s>", x, y, anchor, more);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int n = character(c, &plain);
        if (*c == '&' || *c == '<' || *c == '>')
            fprintf(out, "&#%d;", *c);
        else if (plain)
            fwrite(c, 1, (size_t)n, out);
        else
            fputc('?', out);
        c += n;
    }
    fputs("</text>\n", out);
}
