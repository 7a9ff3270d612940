#include "report/report.h"

#ifdef WEIR_PAGE
/* The assembler puts the file in as it is. WEIR_PAGE: its path. */
__asm__(".pushsection .rodata\n"
        ".global wi_page_begin\n.hidden wi_page_begin\nwi_page_begin:\n"
        ".incbin \"" WEIR_PAGE "\"\n"
        ".global wi_page_end\n.hidden wi_page_end\nwi_page_end:\n"
        ".popsection\n");
extern const char wi_page_begin[], wi_page_end[];

const char *wi_page(size_t *size)
{
    *size = (size_t)(wi_page_end - wi_page_begin);
    return wi_page_begin;
}
#else
const char *wi_page(size_t *size)
{
    *size = 0;
    return NULL;
}
#endif
