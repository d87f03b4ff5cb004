import { statSync } from 'node:fs';
import {
  type AddressList,
  MmdbFile,
  type NetworkData,
  type NetworkKind,
  networkKinds,
  readAddressList,
  shippedTable,
  type WorldTable,
} from '@ringfence/intel';
import { filesInForce, type IntelFile, manifestPath, readIntelFile } from './intel-folder.ts';

export interface NetworkSourceOptions {
  readonly home: string;
  /** Other files are in force from now on. */
  readonly onChange: (names: readonly string[]) => void;
  /** The files in force can't be used; what was in force before stays. */
  readonly onError: (error: unknown) => void;
}

/** How often the folder is looked at: as often as settings are. */
const lookEveryMs = 5_000;

/** What the door looks addresses up in. Files that are put in force are taken over while it runs. */
export class NetworkSource {
  readonly #options: NetworkSourceOptions;
  readonly #world: WorldTable = shippedTable();
  #looking: NodeJS.Timeout | undefined;
  #current: NetworkData;
  #files: readonly IntelFile[];
  /** Tells sets of files apart. */
  #mark: string;

  /** @throws OperatorError when the files in force can't be used */
  constructor(options: NetworkSourceOptions) {
    this.#options = options;
    this.#mark = markOf(options.home);
    this.#files = filesInForce(options.home);
    this.#current = networkData(options.home, this.#world);
  }

  /** In force now. It never changes: whoever asks of one address twice takes it once. */
  get current(): NetworkData {
    return this.#current;
  }

  /** Milliseconds since the epoch: when the oldest data that count were made. */
  get oldestDataAtMs(): number {
    return oldestDataAtMs(this.#world, this.#files);
  }

  start(): void {
    this.#looking = setInterval(() => this.look(), lookEveryMs);
  }

  close(): void {
    clearInterval(this.#looking);
  }

  /** Takes over other files, if there are any. */
  look(): void {
    const { home, onChange, onError } = this.#options;
    const mark = markOf(home);
    if (mark === this.#mark) return;
    this.#mark = mark;
    try {
      this.#current = networkData(home, this.#world);
      this.#files = filesInForce(home);
      onChange(this.#files.map(({ name }) => name));
    } catch (error) {
      onError(error);
    }
  }
}

/** The files in force, before the table that ships. @throws OperatorError when one of them can't be used */
export function networkData(home: string, world: WorldTable = shippedTable()): NetworkData {
  const files = filesInForce(home);
  const lists: Partial<Record<NetworkKind, AddressList>> = {};
  for (const kind of networkKinds) {
    const file = files.find((one) => one.kind === kind);
    if (file !== undefined) lists[kind] = readAddressList(readIntelFile(home, file).toString('utf8'));
  }
  const databases = files.filter(({ kind }) => kind === 'database');
  return { world, databases: databases.map((file) => new MmdbFile(readIntelFile(home, file))), lists };
}

/** When the oldest data that count were made: the table that ships does as long as no database stands before it. */
export function oldestDataAtMs({ head }: WorldTable, files: readonly IntelFile[]): number {
  const hasDatabase = files.some(({ kind }) => kind === 'database');
  return Math.min(hasDatabase ? Infinity : Date.parse(head.date), ...files.map(({ dataAtMs }) => dataAtMs));
}

function markOf(home: string): string {
  const found = statSync(manifestPath(home), { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeMs} ${found.ino}`;
}
