// The small pictures on buttons.

import { svg, type TemplateResult } from "lit";

function icon(path: string): TemplateResult {
  return svg`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" fill="none" stroke="currentColor"
    stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d=${path}></path></svg>`;
}

export const PLAY = icon("M7 4.5v15l12-7.5z");
export const PAUSE = icon("M8 5v14M16 5v14");
export const FORWARD = icon("M6 5l9 7-9 7zM19 5v14");
export const BACK = icon("M18 5l-9 7 9 7zM5 5v14");
export const FIT = icon("M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5");
export const FOLLOW = icon("M12 3v3M12 18v3M3 12h3M18 12h3M12 8a4 4 0 1 0 0 8 4 4 0 1 0 0-8");
export const THEME = icon("M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9");
export const PANEL = icon("M4 5h16v14H4zM14 5v14");
export const LAYERS = icon("M12 4l8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4");
export const TOUR = icon("M12 21a9 9 0 1 1 0-18 9 9 0 1 1 0 18M15.5 8.5l-2 5-5 2 2-5z");
export const KEYS = icon("M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8");
