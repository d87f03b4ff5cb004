/**
 * Writes packages/policy/src/compile/functions/letter-forms.generated.ts from the Unicode data of the runtime. A test
 * holds the file up to date: what an engine decides must not depend on the runtime that it happens to run on.
 *
 *     node tools/letter-forms.ts
 */
import { writeFileSync } from 'node:fs';
import { letterFormsModule } from '../packages/policy/test/compile/functions/letter-forms.ts';

writeFileSync(
  new URL('../packages/policy/src/compile/functions/letter-forms.generated.ts', import.meta.url),
  letterFormsModule(),
);
