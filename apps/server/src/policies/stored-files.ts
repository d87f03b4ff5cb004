import { sha256 } from '@ringfence/models';
import { isArtifact, type PolicyFile } from '@ringfence/policy';
import type { ClientBase, Pool } from 'pg';

/** A file as a version stores it. The file of a model is stored once, under its SHA-256, however many versions name it. */
export type StoredFile = PolicyFile | { readonly path: string; readonly sha256: string };

export const artifactsSchema = `
-- Files of models, by their SHA-256: never changed, and kept for ever, because versions name them.
create table policy_artifact (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  text   text not null
);
`;

/** Stores the files of models that are not stored yet. @returns the files as a version stores them */
export async function storeFiles(database: ClientBase, files: readonly PolicyFile[]): Promise<readonly StoredFile[]> {
  const artifacts = files.filter(isArtifact);
  if (artifacts.length > 0) {
    await database.query(
      `insert into policy_artifact (sha256, text)
       select decode(hash, 'hex'), text from unnest($1::text[], $2::text[]) as a (hash, text)
       on conflict (sha256) do nothing`,
      [artifacts.map(({ text }) => sha256(text)), artifacts.map(({ text }) => text)],
    );
  }
  return storedForm(files);
}

/** The files as a version would store them. */
export function storedForm(files: readonly PolicyFile[]): readonly StoredFile[] {
  return files.map((file) => (isArtifact(file) ? { path: file.path, sha256: sha256(file.text) } : file));
}

/** The files of a version, with those of its models. */
export async function restoreFiles(
  database: Pool | ClientBase,
  stored: readonly StoredFile[],
): Promise<readonly PolicyFile[]> {
  const hashes = stored.flatMap((file) => ('sha256' in file ? [file.sha256] : []));
  if (hashes.length === 0) return stored as readonly PolicyFile[];
  const { rows } = await database.query<{ hash: string; text: string }>(
    `select encode(sha256, 'hex') as hash, text from policy_artifact
      where sha256 in (select decode(hash, 'hex') from unnest($1::text[]) as h (hash))`,
    [hashes],
  );
  const texts = new Map(rows.map(({ hash, text }) => [hash, text]));
  // Without its file a version does not load: it is refused, with the model's name.
  return stored.flatMap((file) => {
    if (!('sha256' in file)) return [file];
    const text = texts.get(file.sha256);
    return text === undefined ? [] : [{ path: file.path, text }];
  });
}
