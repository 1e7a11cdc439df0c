#include "sotto/report/page.h"
#include "sotto/report/palette.h"

namespace sotto::report {
namespace {

// Sheets of no more than half a screen each; a later one may rest on an earlier one.
constexpr const char* kLightColours = R"(:root{--ground:#f6f5f1;--card:#ffffff;--ink:#17191d;--muted:#5b6068;
--rule:#dedcd4;--link:#0b5fa5;--good:#0a5c3f;--good-ground:#dff3ea;--care:#7a4a00;--care-ground:#fdf0d2;
--bad:#97151c;--bad-ground:#fde5e5;--none:#494f58;--none-ground:#e9eaec;--shade:0 1px 2px rgba(23,25,29,.06)}
)";
constexpr const char* kDarkColours = R"(:root{--ground:#13161b;--card:#1c2027;--ink:#eceef1;--muted:#a3aab5;
--rule:#343a45;--link:#7dbcf5;--good:#7fe0b8;--good-ground:#12362a;--care:#f3c969;--care-ground:#3a2d0c;
--bad:#ffa8a8;--bad-ground:#451b1e;--none:#c3c9d2;--none-ground:#2c313a;--shade:none}
)";

constexpr const char* kText = R"(*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:3.6rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans","Liberation Sans",sans-serif;overflow-wrap:break-word}
h1,h2,h3,.number{font-family:Charter,"Bitstream Charter","Iowan Old Style",Georgia,"Noto Serif","Liberation Serif",serif;
font-weight:600;line-height:1.2;letter-spacing:-.01em}
h1{font-size:clamp(1.9rem,1.3rem + 2.4vw,3rem);margin:.1em 0 .35em}
h2{font-size:1.65rem;margin:3.2rem 0 1rem}
h3{font-size:1.2rem;margin:0}
h4{font-size:.92rem;font-weight:600;margin:0 0 .35rem;text-align:center}
p{margin:.5em 0;max-width:74ch}
a{color:var(--link);text-underline-offset:.18em}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px;
border-radius:4px}
small{color:var(--muted)}
.wide{max-width:1160px;margin:0 auto;padding:0 1.25rem}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.4rem .8rem;z-index:9}
.top{padding:3rem 0 1.6rem}
.top .kicker{text-transform:uppercase;letter-spacing:.12em;font-size:.78rem;color:var(--muted);margin:0}
.top .lead{font-size:1.08rem}
nav{position:sticky;top:0;z-index:5;background:var(--ground);border-block:1px solid var(--rule)}
nav .wide{display:flex;gap:.2rem 1.3rem;overflow-x:auto;padding-block:.6rem;scrollbar-width:thin}
nav a{white-space:nowrap;text-decoration:none;font-size:.93rem}nav a:hover{text-decoration:underline}
footer{padding-block:3rem 2.5rem;color:var(--muted);font-size:.88rem}
)";

constexpr const char* kFigures = R"(.figure,.box{background:var(--card);border:1px solid var(--rule);border-radius:12px;
box-shadow:var(--shade);padding:1.3rem 1.4rem 1.1rem;margin:0 0 1.5rem}
.figure>header{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:baseline;justify-content:space-between}
.figure h3{min-width:0;overflow-wrap:anywhere}.figure h3 a{color:inherit;text-decoration:none}.figure h3 a:hover{text-decoration:underline}
.why{color:var(--muted);margin:.45rem 0 0}
.panels{display:grid;gap:1.2rem 1.6rem;margin:1rem 0 .4rem;justify-content:center;
grid-template-columns:repeat(auto-fit,minmax(min(100%,310px),1fr))}
.panels.of1{grid-template-columns:minmax(0,540px)}
.panels.of2{grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr))}
.panel{min-width:0}
.plot{position:relative;border-radius:6px;touch-action:pan-y}
.chart{display:block;width:100%;height:auto;overflow:visible}
.tip{position:absolute;top:4%;background:var(--card);color:var(--ink);border:1px solid var(--rule);border-radius:8px;
box-shadow:0 4px 16px rgba(0,0,0,.18);padding:.4rem .65rem;font-size:.8rem;line-height:1.4;max-width:72%;
pointer-events:none;z-index:3}
.tip[hidden]{display:none}.tip b{display:block}
.tip span{display:block}.tip i{display:inline-block;width:.7em;height:.7em;border-radius:50%;background:currentColor;
margin-right:.45em}.tip em{font-style:normal;color:var(--ink)}
.legend{list-style:none;display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem 1.4rem;padding:0;margin:.9rem 0 0;
font-size:.88rem}
.legend li{display:flex;align-items:center;gap:.5rem;min-width:0;max-width:100%}
.legend span{min-width:0;overflow-wrap:anywhere}.legend svg{width:34px;height:14px;flex:none}
.tag{display:inline-block;border:1px solid var(--bad);color:var(--bad);background:var(--bad-ground);border-radius:4px;
font-size:.72rem;font-weight:600;line-height:1.3;padding:0 .35em;white-space:nowrap}
figcaption{color:var(--muted);font-size:.93rem;margin-top:.7rem;max-width:90ch}
.sources{font-size:.85rem;color:var(--muted);margin:.6rem 0 0}
details{font-size:.85rem;margin-top:.3rem}summary{cursor:pointer;color:var(--muted);width:fit-content}
details .scroll{max-height:22rem;overflow:auto}
)";

constexpr const char* kTables = R"(.scroll{overflow-x:auto;max-width:100%;margin:.8rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.2rem 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--rule)}
thead th{color:var(--muted);font-weight:600;font-size:.82rem}
tbody th{font-weight:600}tbody tr:last-child>*{border-bottom:0}
td:last-child,th:last-child{padding-right:0}
.values{font-size:.8rem}.values th,.values td{padding:.2rem .7rem .2rem 0;white-space:nowrap}.values thead th{color:inherit}
.verdict{display:inline-flex;align-items:baseline;gap:.4em;border-radius:.9em;padding:.12em .75em;font-size:.82rem;
font-weight:600;line-height:1.5;color:var(--none);background:var(--none-ground)}
.verdict::before{content:"–"}
.verdict.reproduced,.verdict.private{color:var(--good);background:var(--good-ground)}
.verdict.reproduced::before,.verdict.private::before{content:"✓"}
.verdict.only_invalid{color:var(--care);background:var(--care-ground)}.verdict.only_invalid::before{content:"!"}
.verdict.not_reproduced,.verdict.not_private{color:var(--bad);background:var(--bad-ground)}
.verdict.not_reproduced::before,.verdict.not_private::before{content:"✕"}
.tally{display:flex;flex-wrap:wrap;gap:.5rem .8rem;margin:1.2rem 0 .8rem;padding:0;list-style:none}
.share{display:flex;height:.6rem;border-radius:99px;overflow:hidden;gap:2px;margin:0 0 .4rem;background:var(--none-ground)}
.share i{display:block;background:var(--none)}.share .reproduced{background:var(--good)}
.share .only_invalid{background:var(--care)}.share .not_reproduced{background:var(--bad)}
.stack td:first-child{white-space:nowrap}.stack td:nth-child(2){width:56%}.claims td:nth-child(2),.claims td:nth-child(4){width:30%}.stack tr.paper th{padding-top:1.2rem;font-size:1rem;color:var(--ink)}
)";

constexpr const char* kCard = R"(.hero{display:grid;grid-template-columns:auto 1fr;gap:1.2rem 2.6rem;align-items:center}
.promise{display:flex;gap:2rem}.promise div{line-height:1.1}
.number{display:block;font-size:clamp(2.2rem,1.6rem + 2vw,3.2rem)}
.promise small{font-size:.85rem}
dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.35rem 1.4rem;margin:.6rem 0;font-size:.94rem}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.meter{height:.8rem;border-radius:99px;background:var(--none-ground);overflow:hidden;margin:.8rem 0 .3rem}
.meter i{display:block;height:100%;background:var(--link)}
.note{border-left:4px solid var(--bad);background:var(--bad-ground);color:var(--ink);padding:.6rem .9rem;
border-radius:0 8px 8px 0;max-width:none}
code{font-family:ui-monospace,"DejaVu Sans Mono","Liberation Mono",monospace;font-size:.88em;overflow-wrap:anywhere}
)";

constexpr const char* kNarrow = R"(@media (max-width:700px){body{font-size:15.5px}.wide{padding:0 .9rem}
.top{padding-top:1.8rem}.figure,.box{padding:1rem .85rem .9rem;border-radius:10px}
.panels,.panels.of1,.panels.of2{grid-template-columns:minmax(0,1fr)}
.stack,.stack tbody,.stack tr,.stack td,.stack th{display:block;width:auto!important;border:0;padding:.08rem 0}.stack thead{display:none}
.stack tr{border-bottom:1px solid var(--rule);padding:.6rem 0}.stack tr:first-child th{padding-top:0}.stack tr.paper{border:0;padding-bottom:0}
.stack td[data-name]::before{content:attr(data-name) ": ";color:var(--muted)}
.hero{grid-template-columns:1fr}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.55rem}}
)";

constexpr const char* kPrint =
    R"(@media print{body{background:#fff;font-size:10.5pt}nav,.skip,details,.tip,.guide{display:none!important}
.wide{max-width:none;padding:0}.top{padding-top:0}.figure,.box{box-shadow:none;break-inside:avoid;border-color:#bbb}
h2,h3{break-after:avoid}a{color:inherit}.panels{gap:.6rem}.verdict,.tag,.share i,.meter i{print-color-adjust:exact;
-webkit-print-color-adjust:exact}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
)";

}  // namespace

std::string page_style() {
  std::string style = kLightColours + chart_style(kLight);
  // Paper is white whatever the screen is.
  style += std::string("@media screen and (prefers-color-scheme:dark){") + kDarkColours + chart_style(kDark) + "}\n";
  return style + kText + kFigures + kTables + kCard + kNarrow + kPrint;
}

}  // namespace sotto::report
