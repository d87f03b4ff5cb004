import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { StreamKind } from './stream-settings.ts';

/** Something that leaves, as one message. */
export interface Fact {
  /** Its place in the order of its kind and workspace; grows. */
  readonly position: number;
  readonly atMs: number;
  /** What it is about, keyed: messages with the same key stay in order in Kafka. */
  readonly key: string;
  /** By the schema of its kind, personal values shown. */
  readonly message: Message;
}

export type Message = Readonly<Record<string, unknown>> & { readonly id: string; readonly at: string };

/** The facts from a position on, and where to go on. */
export interface FactPage {
  /** In their order. */
  readonly facts: readonly Fact[];
  /** The position behind all facts that were looked at; not before `from`. */
  readonly next: number;
  /** Whether there may be more now. */
  readonly isMore: boolean;
}

/**
 * The facts of one kind. A fact has the same position and id however often it is read; a fact that is found later has a
 * greater position. So a cursor misses none and repeats none.
 */
export interface FactSource {
  /** @param workspace `undefined` for the audit log of the installation */
  read(workspace: Workspace | undefined, from: number, limit: number): Promise<FactPage>;
}

export type FactSources = Readonly<Record<StreamKind, FactSource>>;

/** `name/environment`, as people write it. */
export function workspaceText({ name, environment }: Pick<Workspace, 'name' | 'environment'>): string {
  return `${name}/${environment}`;
}

export const nothingFound = (from: number): FactPage => ({ facts: [], next: from, isMore: false });
