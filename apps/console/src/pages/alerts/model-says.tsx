import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertFacts } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';

/** What raised the probability of each model most, in words. */
export function ModelSays({ models }: Pick<AlertFacts, 'models'>): ReactElement {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const language = i18n.language === 'es' ? 'es' : 'en';
  return (
    <>
      {models.map(({ name, p, raisedBy }) => (
        <div key={name} className="flex flex-wrap gap-x-2 pt-1 text-sm">
          <span className="text-soft">{t('model.raisedBy', { name, p: formats.percent(p) })}</span>
          <ul className="flex flex-wrap gap-x-2">
            {raisedBy.map((words, at) => (
              <li key={at} className="after:text-soft not-last:after:content-[';']">
                {words[language]}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
