// How an exported page looks, in light and dark.

export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #d8d8d4; --soft: #f5f5f2; --faint: #6b6b66; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3a3a38; --soft: #232322; --faint: #a3a39c; --bad: #f2867d; }
  body { background: #1a1a19; color: #e8e8e3; }
}
body { font: 16px/1.55 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 0 0 .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
section, details, .note { border-left: 3px solid var(--line); padding: .3rem .8rem; margin: .8rem 0; }
section.user { background: var(--soft); }
summary { cursor: pointer; overflow-wrap: anywhere; }
.thinking, .context, .summary, .cut, time, small { color: var(--faint); }
time, small { font-size: .75rem; font-weight: normal; margin-left: .6rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6rem; font: 13px/1.45 ui-monospace, monospace; }
.failed, .error { border-color: var(--bad); }
.boundary { text-align: center; color: var(--faint); border-top: 1px dashed var(--line); padding-top: .4rem; }
main.agent { border-top: 2px solid var(--line); margin-top: 3rem; }
img { max-width: 100%; }
`;
