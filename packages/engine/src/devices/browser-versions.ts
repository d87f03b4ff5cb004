import { textHash } from '../store/memory/text-hash.ts';
import { browsersMax, browserClientsMin, browserReachMs, browserVersionsMax } from '../limits.ts';
import type { SubjectId } from '../record.ts';

/** A client that a version was seen with, and when last. */
export interface VersionSight {
  /** Hash of its subject. */
  readonly client: number;
  readonly atMs: number;
}

/** The last different clients of a version, the one that came last at the end. */
type Sights = readonly VersionSight[];

/**
 * Which versions of each browser the clients of a workspace use. One is in use when so many different clients logged in
 * with it lately that nobody made it up: whoever writes tokens by hand can name any version, and so does one early user.
 */
export class BrowserVersions {
  readonly #browsers = new Map<string, Map<number, Sights>>();

  /** How many major versions this one is behind the newest in use; 0 for that and newer ones, `undefined` while none is in use. */
  behind(browser: string, version: number, nowMs: number): number | undefined {
    const inUse = [...(this.#browsers.get(browser) ?? [])].filter(([, sights]) => isInUse(sights, nowMs));
    if (inUse.length === 0) return undefined;
    return Math.max(0, Math.max(...inUse.map(([used]) => used)) - version);
  }

  /** A client logged in with this version. Log time never falls. */
  note(browser: string, version: number, sight: { readonly subject: SubjectId; readonly nowMs: number }): void {
    let versions = this.#browsers.get(browser);
    if (versions === undefined) {
      if (this.#browsers.size >= browsersMax) return;
      this.#browsers.set(browser, (versions = new Map<number, Sights>()));
    }
    const client = textHash(sight.subject);
    const others = (versions.get(version) ?? []).filter((seen) => seen.client !== client);
    versions.set(version, [...others, { client, atMs: sight.nowMs }].slice(-browserClientsMin));
    if (versions.size > browserVersionsMax) versions.delete(leastUsed(versions));
  }

  /** A client was erased. */
  forget(subject: SubjectId): void {
    const client = textHash(subject);
    for (const versions of this.#browsers.values()) {
      for (const [version, sights] of versions) {
        const kept = sights.filter((seen) => seen.client !== client);
        if (kept.length === 0) versions.delete(version);
        else if (kept.length < sights.length) versions.set(version, kept);
      }
    }
  }

  get entries(): readonly (readonly [browser: string, versions: ReadonlyMap<number, Sights>])[] {
    return [...this.#browsers];
  }

  /** A browser as it was kept. */
  restore(browser: string, versions: ReadonlyMap<number, Sights>): void {
    this.#browsers.set(browser, new Map(versions));
  }
}

function isInUse(sights: Sights, nowMs: number): boolean {
  return sights.length >= browserClientsMin && nowMs - sights[0]!.atMs <= browserReachMs;
}

/** The version with the fewest clients; of these, that which nobody came with for the longest. */
function leastUsed(versions: ReadonlyMap<number, Sights>): number {
  const [[version]] = [...versions].toSorted(
    ([, a], [, b]) => a.length - b.length || a.at(-1)!.atMs - b.at(-1)!.atMs,
  ) as [[number, Sights]];
  return version;
}
