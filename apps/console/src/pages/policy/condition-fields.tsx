import { Plus } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { ConditionField } from '../events/condition-field.tsx';
import { ConditionRows } from './condition-rows.tsx';
import { NewFeatureFields } from './new-feature.tsx';
import { inRows, type RuleCondition } from './use-rule-condition.ts';

interface ConditionFieldsProps {
  readonly of: RuleCondition;
  /** The file of the rule: a policy without features gets its first one there. */
  readonly path: string;
}

/** The condition of a rule, in rows or as text, and a form for a feature that it needs. */
export function ConditionFields({ of, path }: ConditionFieldsProps): ReactElement {
  const { t } = useTranslation();
  const { written, change, words, mistakes, text, files } = of;
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<{ readonly name: string; readonly file: string }>();
  const tools = (
    <>
      {isAdding ? null : (
        <Button small onClick={() => setAdding(true)}>
          <Plus aria-hidden className="size-3.5" />
          {t('builder.feature')}
        </Button>
      )}
      <OtherForm of={of} />
    </>
  );
  return (
    <div className="flex flex-col gap-2">
      {written.as === 'rows' ? (
        <ConditionRows
          label={t('builder.fires')}
          condition={written.condition}
          words={words}
          mistakes={mistakes}
          onChange={(condition) => change({ as: 'rows', condition })}
        >
          {tools}
        </ConditionRows>
      ) : (
        <TextFields of={of} text={written.text}>
          {tools}
        </TextFields>
      )}
      {isAdding ? (
        <NewFeatureFields
          files={files}
          path={path}
          words={words}
          onAdd={(name, file) => {
            of.addFeature(name, file);
            setAdded({ name, file: file.path });
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
      <p role="status" className="text-xs text-soft empty:hidden">
        {added === undefined ? '' : t('builder.featureAdded', added)}
      </p>
      {written.as === 'rows' ? (
        <p className="flex flex-col gap-1">
          <span className="text-xs font-medium text-soft">{t('builder.compared')}</span>
          <code className="rounded bg-sunken p-2 font-mono text-xs break-words">{text}</code>
        </p>
      ) : null}
      <ul role="alert" className="text-bad empty:hidden">
        {mistakes.others.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </div>
  );
}

interface TextFieldsProps extends Pick<ConditionFieldsProps, 'of'> {
  readonly text: string;
  readonly children: ReactNode;
}

/** A condition in the policy language. */
function TextFields({ of: { files, change }, text, children }: TextFieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <p aria-hidden className="text-xs font-medium text-soft">
        {t('policy.part.when')}
      </p>
      <ConditionField
        text={text}
        files={files}
        onChange={(typed) => change({ as: 'text', text: typed })}
        onSubmit={() => undefined}
      />
      {inRows(text) === undefined ? <p className="text-xs text-soft">{t('builder.textHint')}</p> : null}
      <div className="flex flex-wrap gap-2">{children}</div>
    </>
  );
}

/** Switches between rows and text. A text that does not fit into rows stays one. */
function OtherForm({ of: { written, change, text } }: Pick<ConditionFieldsProps, 'of'>): ReactElement | null {
  const { t } = useTranslation();
  if (written.as === 'rows') {
    return (
      <Button look="quiet" small onClick={() => change({ as: 'text', text })}>
        {t('builder.asText')}
      </Button>
    );
  }
  const rows = inRows(written.text);
  return (
    <Button look="quiet" small disabled={rows === undefined} onClick={() => rows && change(rows)}>
      {t('builder.asRows')}
    </Button>
  );
}
