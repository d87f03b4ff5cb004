import type { Pool } from 'pg';

/** A line of a policy file that contains the name of a client. */
export interface NamedInPolicy {
  readonly version: number;
  readonly file: string;
  readonly line: number;
}

/** More places than a person would fix by hand. */
const placesMax = 100;

/**
 * Finds the name of a client, as a whole word, in the files of all stored policy versions. Versions never change, so
 * erasing a client leaves its name there; a person has to remove it and apply the policy again.
 */
export async function namedInPolicies(
  pool: Pool,
  workspaceId: string,
  client: string,
): Promise<readonly NamedInPolicy[]> {
  const { rows } = await pool.query<{
    version: number;
    files: readonly { readonly path: string; readonly text?: string }[];
  }>(`select version, files from policy_version where workspace_id = $1 order by version desc`, [workspaceId]);
  const places = rows.flatMap(({ version, files }) =>
    // Without the files of models, which are stored apart: their inputs are no identifiers.
    files.flatMap(({ path, text = '' }) =>
      linesWith(text, client).map((line): NamedInPolicy => ({ version, file: path, line })),
    ),
  );
  return places.slice(0, placesMax);
}

const partOfWord = /[\p{L}\p{N}_]/u;

function linesWith(text: string, word: string): readonly number[] {
  return text.split('\n').flatMap((line, index) => {
    for (let at = line.indexOf(word); at !== -1; at = line.indexOf(word, at + 1)) {
      const [before = '', after = ''] = [line[at - 1], line[at + word.length]];
      if (!partOfWord.test(before) && !partOfWord.test(after)) return [index + 1];
    }
    return [];
  });
}
