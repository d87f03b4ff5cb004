import { textHash } from '../bytes/text-hash.ts';
import { browsersMax, browserClientsMin, browserReachMs, browserVersionsMax } from '../limits.ts';
import type { SubjectId } from '../record.ts';

/** A client that used a version, and when last. */
export interface VersionSight {
  /** Hash of the client's subject id. */
  readonly client: number;
  readonly atMs: number;
}

/** The last distinct clients of a version, the most recent one last. */
type Sights = readonly VersionSight[];

/**
 * Which versions of each browser the clients of a workspace use. A version is in use when at least `browserClientsMin`
 * clients logged in with it recently. A single forged token can name any version, and so can one early adopter.
 */
export class BrowserVersions {
  readonly #browsers = new Map<string, Map<number, Sights>>();

  /**
   * How many major versions this one is behind the newest in use; 0 for that one and newer ones, `undefined` if none
   * is in use.
   */
  behind(browser: string, version: number, nowMs: number): number | undefined {
    const inUse = [...(this.#browsers.get(browser) ?? [])].filter(([, sights]) => isInUse(sights, nowMs));
    if (inUse.length === 0) return undefined;
    return Math.max(0, Math.max(...inUse.map(([used]) => used)) - version);
  }

  /** Records that a client logged in with this version. Log time never falls. */
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

  /** Forgets a client that was erased. */
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

  /** Restores a browser from a snapshot. */
  restore(browser: string, versions: ReadonlyMap<number, Sights>): void {
    this.#browsers.set(browser, new Map(versions));
  }
}

function isInUse(sights: Sights, nowMs: number): boolean {
  return sights.length >= browserClientsMin && nowMs - sights[0]!.atMs <= browserReachMs;
}

/** The version with the fewest clients; among equals, the one that was used least recently. */
function leastUsed(versions: ReadonlyMap<number, Sights>): number {
  const [[version]] = [...versions].toSorted(
    ([, a], [, b]) => a.length - b.length || a.at(-1)!.atMs - b.at(-1)!.atMs,
  ) as [[number, Sights]];
  return version;
}
