// The key of who may act: in the address that the command printed, after #, where it is never sent to look at the page.
// It is kept for this window alone, and taken out of the address, so that it is not passed on with it.

const NAME = "kumi-key";

export function takeKey(): string | null {
  const found = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  try {
    if (found === undefined) return sessionStorage.getItem(NAME);
    sessionStorage.setItem(NAME, found);
  } catch {
    return found ?? null; // a page in a notebook may keep nothing
  }
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}
