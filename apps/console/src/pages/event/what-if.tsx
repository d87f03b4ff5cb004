import { useQuery } from '@tanstack/react-query';
import { FlaskConical, RotateCcw } from 'lucide-react';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { follow } from '../../api/follow.ts';
import type { EventDetail, WhatIf as Answer } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { useInquiry } from '../../api/use-inquiry.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ProgressLine } from '../../parts/progress-line.tsx';
import { useWrittenIn } from '../../parts/use-draft.ts';
import { EditFields } from './edit-fields.tsx';
import { type Edits, membersOf, patchOf } from './event-edits.ts';
import { Supposed } from './supposed.tsx';

/** The data of a simulation: current, or as of the event. */
type Memory = 'now' | 'atEvent';

const noEdits: Edits = new Map();

/** The event with other values: the simulated decision next to the original. */
export function WhatIf({ event }: { readonly event: EventDetail }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const personal = usePersonal();
  const [edits, setEdits] = useEdits(`what-if ${workspace} ${event.id}`);
  const [memory, setMemory] = useState<Memory>('now');
  const members = useMemo(() => membersOf(event.received), [event.received]);
  const known = useKnownMembers(event.kind);
  const { inquiry, begin, cancel } = useInquiry<{ readonly answer: Answer; readonly memory: Memory }>();
  const tryIt = (): void =>
    begin(async ({ onProgress, onFound, signal }) => {
      const params = { workspace, event: event.id };
      const body = { edits: patchOf(members, edits, known.isNumber), ...personal };
      if (memory === 'now') onFound({ answer: await call('supposeEvent', { params, body }, { signal }), memory });
      else {
        const decided = (answer: Answer): void => onFound({ answer, memory });
        await follow('decideEventThen', { params, body }, { hearing: { progress: onProgress, decided }, signal });
      }
    });
  const { found, problem, isRunning, progress } = inquiry;
  return (
    <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] items-start gap-4">
      <Panel
        title={t('whatIf.event')}
        hint={edits.size === 0 ? t('whatIf.eventHint') : t('whatIf.changed', { count: edits.size })}
        tools={
          edits.size === 0 ? null : (
            <Button small look="quiet" onClick={() => setEdits(noEdits)}>
              <RotateCcw aria-hidden className="size-3.5" />
              {t('act.takeBack')}
            </Button>
          )
        }
      >
        <form
          onSubmit={(submitted) => {
            submitted.preventDefault();
            tryIt();
          }}
        >
          <EditFields members={members} edits={edits} known={known.paths} onChange={setEdits} />
          <MemoryChoice memory={memory} onChange={setMemory} />
          <div className="mt-3 flex justify-end">
            <Button type="submit" look="main" busy={isRunning}>
              <FlaskConical aria-hidden className="size-4" />
              {t('whatIf.try')}
            </Button>
          </div>
        </form>
      </Panel>
      <Panel title={t('whatIf.decision')} hint={found === undefined ? undefined : t(`whatIf.rests.${found.memory}`)}>
        {isRunning ? <ProgressLine progress={progress} onCancel={cancel} /> : null}
        {problem === undefined ? null : <ProblemNote problem={problem} />}
        {found === undefined ? (
          isRunning || problem !== undefined ? null : (
            <Empty sign={FlaskConical} title={t('whatIf.none')}>
              {t('whatIf.noneHint')}
            </Empty>
          )
        ) : (
          <Supposed answer={found.answer} event={event} />
        )}
      </Panel>
    </div>
  );
}

/** Kept when another page is visited. */
function useEdits(about: string): readonly [Edits, (next: Edits) => void] {
  const [edits, keep] = useWrittenIn(about, noEdits);
  return [edits, (next) => keep(next.size === 0 ? noEdits : next)];
}

function MemoryChoice(props: { readonly memory: Memory; readonly onChange: (memory: Memory) => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <fieldset className="mt-3 border-t border-line px-2 pt-3">
      <legend className="sr-only">{t('whatIf.memory')}</legend>
      {(['now', 'atEvent'] as const).map((memory) => (
        <label key={memory} className="flex items-start gap-2 py-1 text-sm">
          <input
            type="radio"
            name="memory"
            className="mt-1 accent-fence"
            checked={props.memory === memory}
            onChange={() => props.onChange(memory)}
          />
          <span>
            {t(`whatIf.on.${memory}`)}
            <span className="block text-xs text-soft">{t(`whatIf.onHint.${memory}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface KnownMembers {
  readonly paths: readonly string[];
  readonly isNumber: (path: string) => boolean;
}

const nothingKnown: KnownMembers = { paths: [], isNumber: () => false };

/** Members of this kind of event in the interface. The language is loaded on demand. */
function useKnownMembers(kind: EventDetail['kind']): KnownMembers {
  const { data } = useQuery({
    queryKey: ['wire-members', kind],
    staleTime: Infinity,
    queryFn: async (): Promise<KnownMembers> => {
      const { factDefinitions } = await import('@ringfence/policy');
      const wire = factDefinitions.filter(
        ({ source, on, type }) => source === 'wire' && on.has(kind) && type !== 'map',
      );
      const numbers = new Set(wire.filter(({ type }) => type === 'int' || type === 'decimal').map(({ path }) => path));
      // Part of the amount, not a member.
      const paths = wire.map(({ path }) => path).filter((path) => path !== 'order.amountText');
      return { paths, isNumber: (path) => numbers.has(path) };
    },
  });
  return data ?? nothingKnown;
}
