import { Type } from 'typebox';
import { exactly, yesOrNo } from '../../platform/shapes/shape.ts';

/** A query member of operations whose answer contains personal data. */
export const showMember = {
  show: Type.Optional(
    yesOrNo({
      description:
        'For people: personal data is masked unless this is `true`, which needs the right `show` and is audited. Programs always see it unmasked.',
    }),
  ),
};

export const showQuery = exactly(showMember);
