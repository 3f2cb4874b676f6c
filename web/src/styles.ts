// How controls look, in every part of the page.

import { css } from "lit";

export const controls = css`
  :host { color: var(--text); }
  button, select, input { font: inherit; color: inherit; }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 32px; min-width: 34px;
    padding: 0 8px; border: 1px solid transparent; border-radius: 7px; background: none; cursor: pointer;
  }
  button:hover { background: var(--hover); }
  button[aria-pressed="true"], button[aria-selected="true"], button[aria-expanded="true"] {
    background: var(--hover); border-color: var(--line); color: var(--accent);
  }
  button:disabled { opacity: 0.4; cursor: default; }
  :is(button, select, input, [tabindex]):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  select, input[type="search"] {
    min-height: 30px; padding: 0 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--plane);
  }
  input[type="range"] { accent-color: var(--accent); }
  .number { font-variant-numeric: tabular-nums; }
  .quiet { color: var(--quiet); }
`;
