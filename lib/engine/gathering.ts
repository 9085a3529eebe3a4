/** Gathers what comes while some is being carried out; then all that has come is carried out together. */
export class Gathering<T> {
  #waiting: T[] = [];
  #underWay = 0;
  #atOnce: number;
  #most: number;
  #carryOut: (items: T[]) => Promise<void>;

  /** `carryOut` gets `most` items at a time, has `atOnce` runs under way, and never rejects. */
  constructor(atOnce: number, most: number, carryOut: (items: T[]) => Promise<void>) {
    this.#atOnce = atOnce;
    this.#most = most;
    this.#carryOut = carryOut;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#begin();
  }

  #begin(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#atOnce) {
      this.#underWay++;
      void this.#carryOut(this.#waiting.splice(0, this.#most)).finally(() => {
        this.#underWay--;
        this.#begin();
      });
    }
  }
}
