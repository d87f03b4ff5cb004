import { loadPolicy, type PolicyFile, type Rule } from '@ringfence/policy';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { AddRule } from './add-rule.tsx';
import { readBuilder } from './builder-condition.ts';
import { Builder } from './builder.tsx';
import { ModeBadge } from './mode-badge.tsx';
import { useActionName } from '../deliveries/use-action-name.ts';
import { writeMode } from './write-rule.ts';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { useSpan } from '../../url/use-span.ts';
import { useRuleName } from './use-rule-names.ts';

interface RuleCardsProps {
  readonly files: readonly PolicyFile[];
  /** Absent: read-only. */
  readonly onChange?: (written: readonly PolicyFile[]) => void;
}

/** Every rule as a card, by file. */
export function RuleCards({ files, onChange }: RuleCardsProps): ReactElement {
  const { t } = useTranslation();
  const nameOf = useRuleName();
  const { wanted, narrow } = useFilter();
  const [building, setBuilding] = useState<Rule>();
  const loaded = useMemo(() => loadPolicy(files), [files]);
  const { adding, add, stop } = useAdding(onChange !== undefined && loaded.ok);
  if (!loaded.ok) return <p className="text-sm text-bad">{t('policy.broken', { count: loaded.errors.length })}</p>;
  const setMode = (rule: Rule, mode: Rule['mode']): void => {
    const file = files.find(({ path }) => path === rule.file);
    if (file !== undefined) onChange?.([writeMode(file, rule.reason, mode)]);
  };
  const byFile = Map.groupBy(
    loaded.policy.rules.filter((rule) => isMeant(rule, nameOf(rule.name), wanted)),
    ({ file }) => file,
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <input
          type="search"
          aria-label={t('policy.filter')}
          placeholder={t('policy.filter')}
          value={wanted}
          onChange={({ target }) => narrow(target.value)}
          className={`${inputClass} w-72`}
        />
        {onChange === undefined ? null : (
          <Button onClick={() => add()}>
            <Plus aria-hidden className="size-4" />
            {t('policy.newRule')}
          </Button>
        )}
      </div>
      {adding !== undefined && onChange !== undefined ? (
        <AddRule rules={loaded.policy.rules} files={files} {...adding} onChange={onChange} onClose={stop} />
      ) : null}
      {building === undefined || onChange === undefined ? null : (
        <Builder rule={building} files={files} onChange={onChange} onClose={() => setBuilding(undefined)} />
      )}
      {[...byFile].map(([file, rules]) => (
        <Panel key={file} title={file} hint={t('policy.rulesOf', { count: rules.length })}>
          <div className="grid grid-cols-1 gap-3 md:grid-cols-2 2xl:grid-cols-3">
            {rules.map((rule) => (
              <RuleCard
                key={rule.reason}
                rule={rule}
                mayEdit={onChange !== undefined}
                {...(onChange === undefined || rule.pack !== undefined
                  ? {}
                  : { onMode: (mode: Rule['mode']) => setMode(rule, mode) })}
                {...(onChange === undefined || readBuilder(rule.text) === undefined
                  ? {}
                  : { onBuild: () => setBuilding(rule) })}
              />
            ))}
          </div>
        </Panel>
      ))}
    </div>
  );
}

function isMeant({ reason, name, text, mode }: Rule, shownName: string, wanted: string): boolean {
  return `${reason} ${name} ${shownName} ${text} ${mode}`.toLowerCase().includes(wanted.trim().toLowerCase());
}

interface RuleCardProps {
  readonly rule: Rule;
  readonly mayEdit: boolean;
  /** Absent: its mode is shown elsewhere. */
  readonly onMode?: (mode: Rule['mode']) => void;
  /** Absent: the builder cannot show its condition. */
  readonly onBuild?: () => void;
}

function RuleCard({ rule, mayEdit, onMode, onBuild }: RuleCardProps): ReactElement {
  const { t } = useTranslation();
  const nameOf = useRuleName();
  const actionName = useActionName();
  return (
    <article className="flex flex-col gap-2 rounded-md border border-line p-3">
      <header className="flex items-start gap-2">
        <Badge>{rule.reason}</Badge>
        <h3 className="min-w-0 grow text-sm font-medium">{nameOf(rule.name)}</h3>
        {onMode === undefined ? <ModeBadge mode={rule.mode} /> : <ModeChoice rule={rule} onMode={onMode} />}
      </header>
      {rule.description === undefined ? null : <p className="text-xs text-soft">{rule.description}</p>}
      <pre className="rounded bg-sunken p-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        {rule.text}
      </pre>
      <footer className="mt-auto flex items-center gap-2 text-xs text-soft">
        <span className="grow">
          {[...rule.on].map((kind) => t(`event.kind.${kind}`)).join(', ')} →{' '}
          {rule.then.map(({ action }) => actionName(action)).join(', ')}
        </span>
        <RuleHealth reason={rule.reason} />
        {onBuild === undefined ? null : (
          <button type="button" onClick={onBuild} className="font-medium text-fence hover:underline">
            {t('policy.build')}
          </button>
        )}
        <Link
          from="/w/$workspace/policy"
          search={(before) => ({ ...before, tab: 'text' as const, file: rule.file, line: rule.line })}
          className="font-medium text-fence hover:underline"
        >
          {t(mayEdit ? 'policy.edit' : 'policy.tab.text')}
        </Link>
      </footer>
    </article>
  );
}

interface ModeChoiceProps {
  readonly rule: Rule;
  readonly onMode: (mode: Rule['mode']) => void;
}

const modes = ['live', 'shadow', 'off'] as const;
const modeLooks = { live: 'bg-fence-wash', shadow: 'bg-watch-wash', off: 'bg-sunken' } as const;

/** Changes the mode of a rule in the draft. */
function ModeChoice({ rule, onMode }: ModeChoiceProps): ReactElement {
  const { t } = useTranslation();
  return (
    <select
      aria-label={t('policy.modeOf', { reason: rule.reason })}
      value={rule.mode}
      onChange={({ target }) => onMode(modes.find((one) => one === target.value) ?? rule.mode)}
      className={`h-6 rounded border border-line-strong px-1 text-xs font-medium text-ink ${modeLooks[rule.mode]}`}
    >
      {modes.map((mode) => (
        <option key={mode} value={mode}>
          {t(`policy.mode.${mode}`)}
        </option>
      ))}
    </select>
  );
}

/** Firings of a rule in the chosen time range, live and in shadow, linked to the events. */
function RuleHealth({ reason }: { readonly reason: number }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const overview = useQuery(asking('readOverview', { params: { workspace }, query: useSpan() })).data;
  const countIn = (list: 'rules' | 'shadowRules'): number =>
    overview?.[list].find(({ key }) => key === String(reason))?.count ?? 0;
  const [live, shadow] = [countIn('rules'), countIn('shadowRules')];
  if (live + shadow === 0) return null;
  return (
    <Link to="/w/$workspace/events" params={{ workspace }} search={{ reason }} className="font-medium hover:underline">
      {live === 0 ? null : (
        <span className="text-bad">{t('policy.firedLive', { count: live, shown: formats.number(live) })}</span>
      )}{' '}
      {shadow === 0 ? null : (
        <span className="text-watch">{t('policy.firedShadow', { count: shadow, shown: formats.number(shadow) })}</span>
      )}
    </Link>
  );
}

/** The text that filters the rules. The address follows the typed text with a delay. */
function useFilter(): { readonly wanted: string; readonly narrow: (text: string) => void } {
  const { find = '' } = useSearch({ from: '/w/$workspace/policy' });
  const navigate = useNavigate({ from: '/w/$workspace/policy' });
  const [wanted, setWanted] = useState(find);
  const narrow = (text: string): void => {
    setWanted(text);
    void navigate({
      search: ({ find: _find, ...before }) => (text === '' ? before : { ...before, find: text }),
      replace: true,
    });
  };
  return { wanted, narrow };
}

/** The form for a new rule. A link can open it with a condition: the address gives it once. */
function useAdding(mayAdd: boolean): {
  readonly adding: { readonly condition?: string } | undefined;
  readonly add: () => void;
  readonly stop: () => void;
} {
  const { when } = useSearch({ from: '/w/$workspace/policy' });
  const navigate = useNavigate({ from: '/w/$workspace/policy' });
  const [adding, setAdding] = useState<{ readonly condition?: string }>();
  useEffect(() => {
    if (when === undefined || !mayAdd) return;
    setAdding({ condition: when });
    void navigate({ search: ({ when: _when, ...before }) => before, replace: true });
  }, [when, mayAdd]);
  return { adding, add: () => setAdding({}), stop: () => setAdding(undefined) };
}
