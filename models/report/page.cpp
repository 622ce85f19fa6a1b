#include "models/report/page.h"

namespace glass {

const char* const kPageCss = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1c2330;--faint:#626b7a;
--rule:#e2e6ec;--good:#1b7f4b;--bad:#b3372c}
@media screen and (prefers-color-scheme:dark){:root{--page:#12151b;--card:#1a1f28;--ink:#e6eaf1;
--faint:#9aa5b5;--rule:#2d3542;--good:#62cf96;--bad:#ff8f80}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font-size:16px;line-height:1.5}
main{max-width:1120px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:30px;line-height:1.2;margin:0;letter-spacing:-.01em}
h2{font-size:19px;margin:44px 0 14px}
.subtitle{color:var(--faint);margin:6px 0 0}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:16px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;
margin:28px 0 0}
.figures .card{padding:14px 18px}
.figures dt,.config dt{color:var(--faint);font-size:14px}
.figures dd{margin:2px 0 0;font-size:27px;font-weight:600;font-variant-numeric:tabular-nums;
line-height:1.25;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));gap:16px}
.plots svg{width:100%;height:auto;display:block}
.maps{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}
.maps svg{max-width:100%;height:auto;display:block}
.maps figure{margin:0;max-width:100%}
.scroll{overflow-x:auto;padding:4px 16px}
table{border-collapse:collapse;width:100%}
th{text-align:left;font-weight:500;font-size:14px;color:var(--faint)}
th,td{padding:8px 20px 8px 0;border-bottom:1px solid var(--rule);vertical-align:top}
td{overflow-wrap:break-word}
td:last-child,th:last-child{padding-right:0}
tr:last-child td{border-bottom:0}
.verdict{white-space:nowrap;font-weight:600}
.right{color:var(--good)}.wrong{color:var(--bad)}
.config{display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));column-gap:40px;
margin:0}
.config div{display:flex;justify-content:space-between;gap:16px;padding:6px 0;
border-bottom:1px solid var(--rule)}
.config dd{margin:0;text-align:right;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.ink{fill:var(--ink)}.faint{fill:var(--faint)}.frame{fill:none;stroke:var(--rule)}
.maps rect:hover{stroke:var(--ink);stroke-width:2}
#tip{position:fixed;display:none;pointer-events:none;background:var(--ink);color:var(--page);
padding:3px 9px;border-radius:6px;font-size:14px;z-index:2;white-space:nowrap}
footer{margin-top:48px;color:var(--faint);font-size:14px}
@media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}
.plots{grid-template-columns:1fr 1fr}.card,figure,tr{break-inside:avoid}h2{break-after:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

// Moves each title into a label that follows the pointer at once; without script the browser shows
// the title itself.
const char* const kPageScript = R"js(
const tip = document.getElementById("tip");
document.addEventListener("pointermove", (event) => {
  const shape = event.target.closest("svg rect, svg .mark");
  const title = shape && shape.querySelector("title");
  if (title) {
    shape.dataset.tip = title.textContent;
    title.remove();
  }
  const text = shape && shape.dataset.tip;
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.textContent = text;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  tip.style.left = left + "px";
  tip.style.top = (event.clientY > 48 ? event.clientY - 38 : event.clientY + 18) + "px";
});
)js";

}  // namespace glass
