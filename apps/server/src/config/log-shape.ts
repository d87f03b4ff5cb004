import { Type } from 'typebox';
import { exactly, text, yesOrNo } from '../platform/shapes/shape.ts';
import { kafkaConnectionMembers } from './kafka-shape.ts';

const topicName = 'a name of letters, digits, dots, hyphens and underscores';

const kafkaShape = exactly(
  {
    ...kafkaConnectionMembers,
    topic: text({
      maxLength: 249,
      expected: topicName,
      refine: (given) => (/^[A-Za-z0-9._-]+$/.test(given) && !/^\.{1,2}$/.test(given) ? undefined : topicName),
      description: 'It belongs to this installation alone. It must exist; `ringfence doctor` checks its settings.',
    }),
    write: Type.Optional(
      yesOrNo({
        default: true,
        description: 'Whether new events go there. `no`: what is there is read, and PostgreSQL stores new events.',
      }),
    ),
  },
  { description: 'A topic that keeps the bytes of events. PostgreSQL keeps their order, and everything else.' },
);

export const logShape = exactly(
  { kafka: Type.Optional(kafkaShape) },
  { description: 'Where the bytes of the log are kept. Default: in PostgreSQL.' },
);

export type WrittenLogTopic = Type.Static<typeof kafkaShape>;
