import { SearchCheck } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { follow } from '../../api/follow.ts';
import type { DecidedThen, EventDetail } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { useInquiry } from '../../api/use-inquiry.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ProgressLine } from '../../parts/progress-line.tsx';
import { UnfiredRule } from './unfired-rule.tsx';

/** Rules that did not fire. On demand, the event is replayed on the data of its own time. */
export function WhyNot({ event }: { readonly event: EventDetail }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const personal = usePersonal();
  const { inquiry, begin, cancel } = useInquiry<DecidedThen>();
  const ask = (): void =>
    begin(({ onProgress, onFound, signal }) =>
      follow(
        'decideEventThen',
        { params: { workspace, event: event.id }, body: personal },
        { hearing: { progress: onProgress, decided: onFound }, signal },
      ),
    );
  const { found, problem, isRunning, progress } = inquiry;
  return (
    <Panel
      title={t('event.whyNot')}
      hint={found === undefined ? t('event.whyNotHint') : undefined}
      tools={
        found === undefined && !isRunning ? (
          <Button small onClick={ask}>
            <SearchCheck aria-hidden className="size-3.5" />
            {t('event.whyNotAsk')}
          </Button>
        ) : null
      }
    >
      {isRunning ? <ProgressLine progress={progress} onCancel={cancel} /> : null}
      {problem === undefined ? null : <ProblemNote problem={problem} onRetry={ask} />}
      {found === undefined ? null : <Unfired decided={found} />}
    </Panel>
  );
}

/** With many rules, the nearest misses come first, and a field filters them. */
const fieldFrom = 8;

function Unfired({ decided }: { readonly decided: DecidedThen }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const [wanted, setWanted] = useState('');
  const { unmatched, records, unreadable, differences, policyVersion } = decided;
  const shown = unmatched
    .filter(({ reason, name }) => `${reason} ${name}`.toLowerCase().includes(wanted.toLowerCase()))
    .toSorted((a, b) => shareHeld(b) - shareHeld(a) || a.reason - b.reason);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-soft">
        {t('event.asOfThen', { records: formats.number(records), version: policyVersion })}{' '}
        {differences.length === 0 ? t('event.agrees') : null}
      </p>
      {unreadable === 0 ? null : (
        <p className="text-xs text-warn">{t('event.unreadableBefore', { count: unreadable })}</p>
      )}
      {differences.length === 0 ? null : (
        <div role="alert" className="rounded-md bg-warn-wash px-3 py-2 text-sm">
          <p className="font-medium">{t('event.differs')}</p>
          {differences.map(({ what, recorded, replayed }) => (
            <p key={what} className="text-soft">
              {what}: {recorded} → {replayed}
            </p>
          ))}
        </div>
      )}
      {unmatched.length < fieldFrom ? null : (
        <input
          type="search"
          aria-label={t('policy.filter')}
          placeholder={t('policy.filter')}
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
          className={`${inputClass} w-64`}
        />
      )}
      {unmatched.length === 0 ? <p className="text-sm text-soft">{t('event.noOtherRules')}</p> : null}
      {shown.map((rule) => (
        <UnfiredRule key={rule.reason} rule={rule} />
      ))}
    </div>
  );
}

function shareHeld({ conditions }: DecidedThen['unmatched'][number]): number {
  return conditions.filter(({ holds }) => holds === true).length / Math.max(1, conditions.length);
}
