import { Type } from 'typebox';
import { exactly, yesOrNo } from '../../platform/shapes/shape.ts';

/** A member of queries whose answer holds personal data. */
export const showMember = {
  show: Type.Optional(
    yesOrNo({
      description:
        'Of people: what is personal is masked unless they say `true`, which needs the right `show` and is audited. Programs see it always.',
    }),
  ),
};

export const showQuery = exactly(showMember);
