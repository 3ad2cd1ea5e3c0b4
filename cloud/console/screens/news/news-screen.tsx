import { useMemo, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { Tile, Tiles } from '../../../../shared/ui/parts/tiles.tsx';
import { NEWS_STAGES, type NewsLineage, type NewsStage } from '../../../../shared/wire/operator/operator.ts';
import { readDay, readWord, writeAddress } from '../../navigation/address.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { LedgerCode } from '../../runs/ledger-code.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import classes from '../../runs/runs.module.css';
import { DocumentTable } from './document-table.tsx';

const PLACE = '/news';
const FIRST = NEWS_STAGES[0];

/** News lineage (operator API 2): the funnel of a day, its documents, and the unmeasured steps. */
export function NewsScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const addressed = useSearch();
  const { date, stage } = useMemo(() => {
    const params = new URLSearchParams(addressed);
    return { date: readDay(params.get('date')), stage: readWord(params.get('stage'), NEWS_STAGES) ?? FIRST };
  }, [addressed]);
  const lineage = useLive(queries.news(date, stage));
  const go = (to: { date: string | null; stage: NewsStage }): void =>
    navigate(`${PLACE}${writeAddress({ date: to.date, stage: to.stage === FIRST ? null : to.stage })}`);

  return (
    <ListScreen
      title={text('nav.news')}
      aside={<LiveBar query={lineage} asOf={lineage.data?.asOf} />}
      tools={
        <>
          <div className={classes['dayLine']}>
            <DayField
              label={text('news.date')}
              value={date ?? lineage.data?.date ?? null}
              onChange={(day) => go({ date: day, stage })}
            />
            <span>{lineage.data !== undefined && text('news.day', { date: lineage.data.date })}</span>
          </div>
          <Funnel lineage={lineage.data} stage={stage} onStage={(next) => go({ date, stage: next })} />
        </>
      }
      tableLabel={text('news.table')}
      foot={
        lineage.data !== undefined && (
          <ListFoot
            count={text(
              lineage.data.documents.total > lineage.data.documents.items.length ? 'news.sample' : 'news.total',
              { shown: lineage.data.documents.items.length, total: lineage.data.documents.total },
            )}
            tools={
              <CsvButton
                name={`news-${lineage.data.date}`}
                rows={lineage.data.documents}
                columns={[
                  [text('news.collectedZone'), ({ collectedAt }) => timeCell(collectedAt)],
                  [text('news.stage'), (one) => text(`newsStage.${one.stage}`)],
                  [text('news.press'), ({ source }) => source],
                  [text('news.document'), ({ title }) => title],
                  [text('news.publishedZone'), ({ publishedAt }) => timeCell(publishedAt)],
                  [text('news.csv.address'), ({ sourceUri }) => sourceUri],
                ]}
              />
            }
          />
        )
      }
      detail={null}
    >
      <Loaded query={lineage}>
        {(known) => (
          <>
            <Aside lineage={known} />
            {known.documents.items.length === 0 ? (
              <EmptyState title={text('news.empty')} />
            ) : (
              <DocumentTable documents={known.documents.items} />
            )}
          </>
        )}
      </Loaded>
    </ListScreen>
  );
}

function Funnel({
  lineage,
  stage,
  onStage,
}: {
  lineage: NewsLineage | undefined;
  stage: NewsStage;
  onStage: (stage: NewsStage) => void;
}): ReactNode {
  const text = useText();
  return (
    <Tiles label={text('news.funnel')}>
      {NEWS_STAGES.map((one) => {
        const tile = lineage?.tiles.find((known) => known.stage === one);
        return (
          <Tile
            key={one}
            isSelected={one === stage}
            label={text(`newsStage.${one}`)}
            count={tile?.count}
            note={tile !== undefined && <TileNote tile={tile} />}
            onClick={() => onStage(one)}
          />
        );
      })}
    </Tiles>
  );
}

/** N of M with the definition; no percentage where there is nothing to divide by. */
function TileNote({ tile: { count, of, ratio, definition } }: { tile: NewsLineage['tiles'][number] }): ReactNode {
  const text = useText();
  return (
    <>
      {of === null
        ? text('news.noWhole')
        : text('news.share', {
            count,
            of,
            percent: ratio === null ? text('news.noRatio') : `${(ratio * 100).toFixed(1)}%`,
          })}
      <br />
      {text(`newsDefinition.${definition}`)}
    </>
  );
}

/** Beside the funnel: another ledger's numbers, and the unmeasured steps. */
function Aside({ lineage: { intradayExtraction, unmeasured } }: { lineage: NewsLineage }): ReactNode {
  const text = useText();
  return (
    <div className={classes['asides']}>
      <section aria-label={text('news.extraction')}>
        <h2>{text('news.extraction')}</h2>
        <p className={classes['quiet']}>{text('news.otherLedger')}</p>
        <p>
          {text('news.extracted', { total: intradayExtraction.total })} ·{' '}
          <strong data-tone={intradayExtraction.dead > 0 ? 'bad' : 'neutral'} className={classes['toned']}>
            {text('news.dead', { count: intradayExtraction.dead })}
          </strong>
        </p>
        <ul className={classes['codes']}>
          {intradayExtraction.byErrorCode.map(({ errorCode, count }) => (
            <li key={errorCode ?? ''}>
              {errorCode === null ? text('news.noErrorCode') : <LedgerCode code={errorCode} />}{' '}
              <b>
                <Quantity value={count} />
              </b>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={text('news.unmeasured')}>
        <h2>{text('news.unmeasured')}</h2>
        <ul className={classes['codes']}>
          {unmeasured.map((one) => (
            <li key={one} className={classes['unmeasured']}>
              {text(`newsUnmeasured.${one}`)}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
