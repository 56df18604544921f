// How a report looks. Widths follow the screen; colours follow its light or dark mode; on paper
// everything is unfolded and no figure is cut.

#include "report_page.h"

const char *const report_style[] = {
    ":root{color-scheme:light dark;--page:#fff;--text:#1c2530;--soft:#5a6775;--rule:#e3e8ee;"
    "--row:#f1f4f7;--tile:#f5f8fb;--accent:#0a5fa5;--wrong:#bf2430;"
    "--s0:#0a5fa5;--s1:#cc5500;--s2:#00825f;--s3:#a8478a;--s4:#a87400;--s5:#3f9bd1;--s6:#5a6775;"
    "--s7:#7b4fc9}\n",
    "@media screen and (prefers-color-scheme:dark){:root{--page:#11151b;--text:#e2e7ed;"
    "--soft:#9ba8b6;--rule:#2b343f;--row:#1c222a;--tile:#181e26;--accent:#6ab4f2;--wrong:#ff8080;"
    "--s0:#6ab4f2;--s1:#ff9d57;--s2:#41cda3;--s3:#e48fc8;--s4:#e0b649;--s5:#b4dcf7;--s6:#9ba8b6;"
    "--s7:#b9a0f4}}\n",
    "*{box-sizing:border-box}\n", "html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}\n",
    "body{margin:0;background:var(--page);color:var(--text);font:16px/1.6 system-ui,-apple-system,"
    "'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-variant-numeric:tabular-nums}\n",
    "main{max-width:80rem;margin:0 auto;padding:clamp(24px,5vw,72px) clamp(16px,4vw,48px) 64px}\n",
    "h1,h2,h3,h4{line-height:1.2;letter-spacing:-.015em;text-wrap:balance;overflow-wrap:anywhere}"
    "\n",
    "h1{font-size:clamp(1.8rem,5vw,2.7rem);margin:0 0 .6rem}\n",
    "h2{font-size:clamp(1.35rem,3vw,1.7rem);margin:0 0 .5rem}\n",
    "h3{font-size:1.25rem;margin:2.8rem 0 0}\n", "h4{font-size:1.05rem;margin:2.4rem 0 0}\n",
    "p{margin:.4rem 0 1rem;max-width:46rem;overflow-wrap:anywhere}\n",
    "code{font:.92em ui-monospace,'SF Mono',Menlo,Consolas,monospace}\n",
    ".facts{color:var(--soft);font-size:.9rem;margin:.1rem 0;max-width:none}\n",
    ".facts b{color:var(--text);font-weight:600}\n", ".quiet{color:var(--soft);font-size:.9rem}\n",
    "nav{margin:1.6rem 0 0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.95rem}\n",
    "a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}\n",
    "section{margin-top:clamp(3rem,7vw,5rem);padding-top:1.6rem;border-top:1px solid "
    "var(--rule)}\n",
    // Numbers at a glance.
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));"
    "gap:1rem;margin:1.4rem 0 2rem;padding:0;list-style:none}\n",
    ".tiles li{background:var(--tile);border-radius:10px;padding:1.1rem 1.3rem;"
    "break-inside:avoid}\n",
    ".tiles b{display:block;font-size:1.9rem;line-height:1.2;letter-spacing:-.02em;"
    "color:var(--accent);font-weight:650;overflow-wrap:anywhere}\n",
    ".tiles span{color:var(--soft);font-size:.9rem;line-height:1.45;display:block;"
    "margin-top:.25rem;overflow-wrap:anywhere}\n",
    // Figures.
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));"
    "gap:2.2rem 2.6rem;margin:1.4rem 0 1.8rem}\n",
    ".wide{grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr))}\n",
    "figure{margin:0;min-width:0;break-inside:avoid}\n",
    "figcaption{font-weight:600;line-height:1.35;margin-bottom:.5rem;overflow-wrap:anywhere}\n",
    "figcaption small{display:block;font-weight:400;font-size:.85rem;color:var(--soft)}\n",
    "svg{display:block;width:100%;height:auto;max-width:480px}\n",
    "svg text{font-family:inherit;font-size:11px;fill:var(--soft)}\n",
    "svg .name{font-size:11.5px;fill:var(--text)}svg .strong{font-weight:650}\n",
    "svg .value{fill:var(--text)}svg .wrong{fill:var(--wrong);font-weight:650}\n",
    "svg .head{font-size:10.5px}\n", "svg .other{fill:var(--s1)}\n",
    ".grid{stroke:var(--rule);fill:none}.row{stroke:var(--row);fill:none}\n",
    ".edge{stroke:var(--soft);stroke-opacity:.55;fill:none}\n",
    ".ideal{stroke:var(--soft);stroke-dasharray:3 4;fill:none}\n",
    ".mark,.swatch{fill:var(--ink);stroke:var(--page);stroke-width:.8}\n",
    ".hollow{fill:var(--page);stroke:var(--ink);stroke-width:1.8}.faint{fill-opacity:.45}\n",
    ".curve{stroke:var(--ink);stroke-width:1.8;stroke-linejoin:round;fill:none}\n",
    ".span{stroke:var(--ink);stroke-width:2;stroke-opacity:.3;fill:none}\n", ".bar{stroke:none}\n",
    ".s0{--ink:var(--s0)}.s1{--ink:var(--s1)}.s2{--ink:var(--s2)}.s3{--ink:var(--s3)}"
    ".s4{--ink:var(--s4)}.s5{--ink:var(--s5)}.s6{--ink:var(--s6)}.s7{--ink:var(--s7)}"
    ".bad{--ink:var(--wrong)}\n",
    ".legend{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;margin:1rem 0 0;padding:0;"
    "list-style:none;font-size:.9rem;color:var(--soft)}\n",
    ".legend li{display:flex;align-items:center;gap:.45rem;min-width:0;overflow-wrap:anywhere}\n",
    ".legend svg{width:14px;height:14px;flex:none}\n",
    // Tables.
    ".scroll{overflow-x:auto;max-width:100%;margin:.6rem 0 1rem}\n",
    "table{border-collapse:collapse;font-size:.88rem;line-height:1.4}\n",
    "th,td{padding:.38rem .9rem .38rem 0;text-align:right;white-space:nowrap;"
    "border-bottom:1px solid var(--rule)}\n",
    "th:last-child,td:last-child{padding-right:.2rem}\n",
    "thead th{color:var(--soft);font-weight:500;vertical-align:bottom}\n",
    "tbody th{font-weight:500}\n",
    ".left{text-align:left}td.bad{color:var(--wrong);font-weight:650}\n",
    "details{margin:.8rem 0}\n",
    "summary{cursor:pointer;color:var(--accent);font-size:.95rem;width:fit-content}\n",
    "@media print{body{font-size:11pt}main{max-width:none;padding:0}nav{display:none}"
    "section{break-before:auto}h2,h3,h4,.legend{break-after:avoid}"
    ".figures,.wide{grid-template-columns:1fr 1fr}tr{break-inside:avoid}"
    "details::details-content{content-visibility:visible;block-size:auto}summary{color:inherit}"
    "table{font-size:7pt}th,td{padding:.1rem .5rem .1rem "
    "0;white-space:normal}.scroll{overflow:visible}}\n",
    NULL};
