import { RunThemeScript } from "./run-theme-script.tsx";

/**
 * Sets the theme before the first paint, and again when the system or another tab changes it; `intray:theme`: it was
 * chosen here. It stands in the page, so that following the system needs no script of React's. Packages that put a
 * style into the page (dialogs keep what is behind them from scrolling) look for their nonce in __webpack_nonce__; and
 * zod is told not to try whether it may make code of text, which the policy would report.
 */
const FOLLOW = `(()=>{
const {nonce}=document.currentScript,root=document.documentElement,system=matchMedia("(prefers-color-scheme: dark)");
const apply=()=>{
let chosen=null;
try{chosen=localStorage.getItem("theme")}catch{}
const theme=chosen==="dark"||(chosen!=="light"&&system.matches)?"dark":"light";
const still=document.createElement("style");
still.nonce=nonce;
still.textContent="*{transition:none!important}";
document.head.append(still);
root.classList.remove("light","dark");
root.classList.add(theme);
root.style.colorScheme=theme;
getComputedStyle(root).color;
still.remove();
dispatchEvent(new Event("intray:themed"));
};
apply();
window.__webpack_nonce__=nonce;
window.__zod_globalConfig={jitless:true};
system.addEventListener("change",apply);
addEventListener("storage",apply);
addEventListener("intray:theme",apply);
})()`;

const ID = "theme-script";

/** `nonce`: the one inline script that the page's policy lets run. */
export function ThemeScript({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours */}
      <script id={ID} nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: FOLLOW }} />
      <RunThemeScript id={ID} nonce={nonce} />
    </>
  );
}
