import { RunThemeScript } from "./run-theme-script.tsx";

/**
 * Sets the theme before the first paint, and again on a change of the system's theme or in another tab;
 * `intray:theme` reports a change in this tab. Inline, so that following the system needs no React. Also sets
 * __webpack_nonce__, where packages that insert styles (dialogs disable scrolling) look for their nonce, and
 * tells zod not to probe `eval`, which the CSP would report.
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

/** `nonce`: allows this inline script under the page's CSP. */
export function ThemeScript({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours */}
      <script id={ID} nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: FOLLOW }} />
      <RunThemeScript id={ID} nonce={nonce} />
    </>
  );
}
