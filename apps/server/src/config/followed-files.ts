import { readFileSync } from 'node:fs';
import { reasonOf } from './file-error.ts';

export interface FollowedFilesOptions {
  readonly files: readonly string[];
  /** What they had at the start, in the same order. */
  readonly inForce: readonly string[];
  /** Puts what they have now into force; answers why not, when it cannot be used. */
  readonly take: (texts: readonly string[]) => Promise<string | undefined>;
  /** The files have something that cannot be used; what was in force before stays. Told once for each reason. */
  readonly onRefused: (reason: string) => void;
}

/** How often the files are looked at. A renewal is in force after the second look at it. */
const lookEveryMs = 10_000;

/**
 * Files that belong together, taken over while the service runs.
 *
 *   in force --other texts--> seen --the same at the next look, and usable--> in force
 *                              '-----the same, and not usable--> told; the old ones stay, and the files are looked at again
 *
 * Whoever renews writes one file after the other: what is the same at two looks is whole.
 */
export class FollowedFiles {
  readonly #options: FollowedFilesOptions;
  #inForce: readonly string[];
  #seen: readonly string[] | undefined;
  #told: string | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FollowedFilesOptions) {
    this.#options = options;
    this.#inForce = options.inForce;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), lookEveryMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** One at a time: what is taken over may have to be stored first. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    const found = readAll(this.#options.files);
    if (typeof found === 'string') return this.#refuse(found);
    if (isSame(found, this.#inForce)) {
      this.#seen = this.#told = undefined;
      return;
    }
    if (this.#seen === undefined || !isSame(found, this.#seen)) {
      this.#seen = found;
      return;
    }
    const reason = await this.#options.take(found);
    if (reason !== undefined) return this.#refuse(reason);
    this.#inForce = found;
    this.#seen = this.#told = undefined;
  }

  #refuse(reason: string): void {
    if (this.#told === reason) return;
    this.#told = reason;
    this.#options.onRefused(reason);
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.every((text, at) => text === other[at]);
}

/** @returns why one of the files cannot be read, when it cannot */
function readAll(files: readonly string[]): readonly string[] | string {
  const texts: string[] = [];
  for (const file of files) {
    try {
      texts.push(readFileSync(file, 'utf8'));
    } catch (error) {
      return `${file} cannot be read (${reasonOf(error)})`;
    }
  }
  return texts;
}
