/**
 * Writes packages/policy/src/compile/functions/letter-forms.generated.ts from the Unicode data of the runtime. A test
 * checks that the file is current: decisions must not depend on the runtime.
 *
 *     node tools/letter-forms.ts
 */
import { writeFileSync } from 'node:fs';
import { letterFormsModule } from '../packages/policy/test/compile/functions/letter-forms.ts';

writeFileSync(
  new URL('../packages/policy/src/compile/functions/letter-forms.generated.ts', import.meta.url),
  letterFormsModule(),
);
