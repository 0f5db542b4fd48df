-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "words" tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate(left("prompt", 10000) || ' ' || left(coalesce("result", ''), 10000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))) STORED;

-- CreateIndex
CREATE INDEX "CodingRun_words_idx" ON "CodingRun" USING GIN ("words");
