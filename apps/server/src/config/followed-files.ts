import { readFileSync } from 'node:fs';
import { fileErrorReason } from './file-error.ts';

export interface FollowedFilesOptions {
  readonly files: readonly string[];
  /** Their content at the start, in the same order. */
  readonly inForce: readonly string[];
  /** Puts the new content into force; returns the reason if it cannot be used. */
  readonly take: (texts: readonly string[]) => Promise<string | undefined>;
  /** Called once per reason when the files cannot be used; the previous content stays in force. */
  readonly onRefused: (reason: string) => void;
}

/** How often the files are read. A renewal takes effect at the second reading that finds it. */
const lookEveryMs = 10_000;

/**
 * Files that belong together, reloaded while the service runs.
 *
 *   in force --content changed--> seen --unchanged at the next reading, valid--> in force
 *                                  '-----unchanged, invalid--> reported; the old content stays, reading continues
 *
 * Renewal programs write one file after the other, so a renewal counts as complete once two readings agree.
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

  /** Runs one reading at a time: `take` may have to store the content first. */
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

/** @returns the texts, or the reason why a file cannot be read */
function readAll(files: readonly string[]): readonly string[] | string {
  const texts: string[] = [];
  for (const file of files) {
    try {
      texts.push(readFileSync(file, 'utf8'));
    } catch (error) {
      return `${file} cannot be read (${fileErrorReason(error)})`;
    }
  }
  return texts;
}
