// A film, a picture or another file that a robot stored, shown where it was asked for.

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { bytesOf } from "./records";
import type { MediumContent } from "../types";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

@customElement("kumi-film")
export class Film extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) medium = 0;
  @state() private shown: MediumContent | null = null;
  @state() private why = "";
  private address = "";

  static override styles = [controls, css`
    :host { display: block; padding: 6px 0; } video, img { width: 100%; border-radius: 8px; background: #000; } p { margin: 4px 0; }
    a { color: var(--accent); }
  `];

  protected override updated(changed: PropertyValues): void {
    if (changed.has("medium")) void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.let();
  }

  protected override render(): TemplateResult {
    if (this.why !== "") return html`<p role="alert">${this.why}</p>`;
    if (this.shown === null) return html`<p class="quiet">The file is on its way …</p>`;
    const { name, kind, size } = this.shown.about;
    const inside = kind.startsWith("video/") ? html`<video src=${this.address} aria-label=${name} controls autoplay muted loop playsinline></video>`
      : PICTURES.has(kind) ? html`<img src="data:${kind};base64,${this.shown.content}" alt=${name} />` : nothing;
    return html`${inside}<p class="quiet"><a href=${this.address} download=${name}>${name}</a>, ${Math.ceil(size / 1000)} kB</p>`;
  }

  private async load(): Promise<void> {
    const medium = this.medium;
    this.let();
    try {
      const found = await this.station.api.call("get_medium", { medium });
      if (medium !== this.medium || !this.isConnected) return;
      this.address = URL.createObjectURL(new Blob([bytesOf(found.content)], { type: found.about.kind }));
      this.shown = found;
    } catch (error) {
      this.why = said(error);
    }
  }

  private let(): void {
    if (this.address !== "") URL.revokeObjectURL(this.address);
    [this.address, this.shown, this.why] = ["", null, ""];
  }
}
