import { ArrowRight } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail, WhatIf } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useActionName } from '../deliveries/use-action-name.ts';
import { FiredRule } from './fired-rule.tsx';
import { UnfiredRule } from './unfired-rule.tsx';

interface SupposedProps {
  readonly answer: WhatIf;
  readonly event: EventDetail;
}

/** The simulated decision compared with the original. */
export function Supposed({ answer, event }: SupposedProps): ReactElement {
  const { t } = useTranslation();
  const before = new Set(event.rules.map(({ reason }) => reason));
  const newly = answer.rules.filter(({ reason }) => !before.has(reason));
  const still = answer.rules.filter(({ reason }) => before.has(reason));
  const after = new Set(answer.rules.map(({ reason }) => reason));
  const gone = event.rules.filter(({ reason }) => !after.has(reason));
  const unmatched = new Map(answer.unmatched.map((rule) => [rule.reason, rule]));
  const others = answer.unmatched.filter(({ reason }) => !before.has(reason));
  const version = answer.policyVersion;
  return (
    <div className="flex flex-col gap-4">
      <Numbers answer={answer} event={event} />
      <Group tone="bad" title={t('whatIf.newly')} count={newly.length} none={t('whatIf.noNewly')}>
        {newly.map((rule) => (
          <FiredRule key={rule.reason} rule={rule} version={version} />
        ))}
      </Group>
      {gone.length === 0 ? null : (
        <Group tone="good" title={t('whatIf.gone')} count={gone.length}>
          {gone.map(({ reason, name }) => {
            const rule = unmatched.get(reason);
            return rule === undefined ? (
              <p key={reason} className="flex items-center gap-2 text-sm">
                <Badge>{reason}</Badge> {name} <span className="text-soft">{t('whatIf.notThere', { version })}</span>
              </p>
            ) : (
              <UnfiredRule key={reason} rule={rule} note={t('whatIf.firedThen')} />
            );
          })}
        </Group>
      )}
      {still.length === 0 ? null : (
        <Group tone="plain" title={t('whatIf.still')} count={still.length}>
          {still.map((rule) => (
            <FiredRule key={rule.reason} rule={rule} version={version} />
          ))}
        </Group>
      )}
      {others.length === 0 ? null : (
        <details>
          <summary className="cursor-pointer text-sm font-medium text-fence">
            {t('whatIf.others', { count: others.length })}
          </summary>
          <div className="mt-2 flex flex-col gap-2">
            {others.map((rule) => (
              <UnfiredRule key={rule.reason} rule={rule} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** Score, session and actions: original and simulated. */
function Numbers({ answer, event }: SupposedProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const actionName = useActionName();
  const actions = (of: readonly { readonly action: number; readonly reason: number }[]): string =>
    of.length === 0
      ? t('whatIf.noActions')
      : of.map(({ action, reason }) => `${actionName(action)} (${reason})`).join(', ');
  const session = (matched: boolean | undefined, mismatch: EventDetail['mismatch']): string =>
    matched === undefined ? '–' : matched ? t('whatIf.matched') : t(`event.mismatch.${mismatch ?? 'noLogin'}`);
  const rows = [
    { name: t('whatIf.score'), was: formats.number(event.score), is: formats.number(answer.score) },
    { name: t('whatIf.actions'), was: actions(event.actions), is: actions(answer.actions) },
    ...(event.kind === 'operation'
      ? [
          {
            name: t('event.session'),
            was: session(event.matched, event.mismatch),
            is: session(answer.matched, answer.mismatch),
          },
        ]
      : []),
  ];
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="text-left text-xs text-soft">
          <th className="py-1 font-medium">
            <span className="sr-only">{t('whatIf.part')}</span>
          </th>
          <th className="py-1 font-medium">{t('whatIf.was')}</th>
          <th className="w-8">
            <span className="sr-only">{t('whatIf.becomes')}</span>
          </th>
          <th className="py-1 font-medium">{t('whatIf.is')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, was, is }) => (
          <tr key={name} className="border-t border-line align-top">
            <td className="py-1.5 pr-3 text-soft">{name}</td>
            <td className="py-1.5">{was}</td>
            <td className="py-1.5 text-soft">
              <ArrowRight aria-hidden className="size-4" />
            </td>
            <td className={`py-1.5 ${was === is ? '' : 'font-semibold'}`}>{is}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface GroupProps {
  readonly title: string;
  readonly count: number;
  readonly tone: Tone;
  readonly none?: string;
  readonly children: ReactNode;
}

function Group({ title, count, tone, none, children }: GroupProps): ReactElement {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="flex items-center gap-2 text-sm font-semibold">
        {title} <Badge tone={count === 0 ? 'plain' : tone}>{count}</Badge>
      </h3>
      {count === 0 ? <p className="text-sm text-soft">{none}</p> : children}
    </section>
  );
}
