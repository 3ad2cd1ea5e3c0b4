/**
 * Asks questions of one kind together: the first at once, and those that come meanwhile by one statement behind it. A
 * caller that is alone waits for nobody, and the more callers there are the less each of them costs.
 */
import { TransientStoreError } from './errors.ts';

/** Statements under way at one time: the database answers one while this process reads the other. */
const AT_ONCE = 2;
/** Most questions of one statement. */
const MOST = 64;

interface Waiting<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class Gathering<Question, Answer> {
  readonly #answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #waiting: Waiting<Question, Answer>[] = [];
  #underWay = 0;

  /** @param answerAll gives an answer for each question, in their order */
  constructor(answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#answerAll = answerAll;
  }

  /** Rejects with the error of the statement. One that fails for a question of its own fails no other question. */
  ask(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, resolve, reject });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#underWay >= AT_ONCE || this.#waiting.length === 0) return;
    const gathered = this.#waiting.splice(0, MOST);
    this.#underWay += 1;
    void this.#answer(gathered).finally(() => {
      this.#underWay -= 1;
      this.#next();
    });
  }

  async #answer(gathered: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#answerAll(gathered.map(({ question }) => question));
      for (const [index, { resolve }] of gathered.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      // A database that is away answers none of them, however often it is asked.
      if (gathered.length === 1 || error instanceof TransientStoreError)
        for (const { reject } of gathered) reject(error);
      else for (const one of gathered) await this.#answer([one]);
    }
  }
}
