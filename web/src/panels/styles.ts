// How controls look, in every part of the page.

import { css } from "lit";

export const controls = css`
  :host { color: var(--text); }
  button, select, input, textarea { font: inherit; color: inherit; }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 32px; min-width: 34px;
    padding: 0 8px; border: 1px solid transparent; border-radius: 7px; background: none; cursor: pointer;
  }
  button:hover { background: var(--hover); }
  button[aria-pressed="true"], button[aria-selected="true"], button[aria-expanded="true"] {
    background: var(--hover); border-color: var(--line); color: var(--accent);
  }
  button:disabled { opacity: 0.4; cursor: default; }
  :is(button, select, input, textarea, [tabindex]):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  select, input[type="search"] {
    min-height: 30px; padding: 0 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--plane);
  }
  input[type="range"] { accent-color: var(--accent); }
  .number { font-variant-numeric: tabular-nums; }
  .quiet { color: var(--quiet); }
`;

// How panels look in which something is done.
export const forms = css`
  :host { overflow: auto; padding: 10px 14px; }
  section { display: flex; flex-direction: column; gap: 8px; padding: 0 0 14px; }
  section + section { border-top: 1px solid var(--line); padding-top: 12px; }
  h2 { font-size: 16px; margin: 2px 0 0; overflow-wrap: anywhere; } h3 { font-size: 13px; margin: 0; }
  p { margin: 0; }
  .row { display: flex; flex-wrap: wrap; gap: 6px; }
  .plain { border: 1px solid var(--line); border-radius: 7px; background: var(--plane); min-height: 34px; padding: 0 12px; }
  .plain:hover:not(:disabled) { background: var(--hover); }
  .plain[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--plane); }
  .line { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
  .check { display: flex; gap: 6px; align-items: center; }
  .file { display: inline-flex; align-items: center; position: relative; cursor: pointer; }
  .file input { position: absolute; inset: 0; opacity: 0; cursor: pointer; width: 100%; }
  .file:focus-within { outline: 2px solid var(--accent); outline-offset: 1px; }
  textarea, input[type="number"], input[type="text"] {
    border: 1px solid var(--line); border-radius: 7px; background: var(--plane); padding: 6px 8px; box-sizing: border-box; width: 100%;
  }
  textarea { resize: vertical; font: 13px/1.4 ui-monospace, monospace; }
`;
