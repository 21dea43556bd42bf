"""This module deduplicates the same records with Splink on DuckDB, set up as its documentation recommends for such records.

Blocking rules are exact keys of which each pair needs one. Comparisons have Jaro-Winkler levels, arrays by the size of their
intersection, term frequencies where values are skewed; u comes from random pairs, m from expectation maximisation under
two blocking rules, the prior from deterministic rules. Its threshold is the documentation's .95; others are tried untimed.
"""

from __future__ import annotations

import polars as pl

THRESHOLD = 0.95
OTHER_THRESHOLDS = (0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
"""Thresholds tried when the clock has stopped, so that Splink can be quoted at its best."""


def splink_clusters(records: pl.DataFrame) -> tuple[dict[str, object], int]:
    """Clusters at `THRESHOLD`: a linker, its predictions and the cluster frame under `clusters`; and how many pairs matched."""
    from splink import DuckDBAPI, Linker, block_on

    database = DuckDBAPI()
    linker = Linker(database.register(_table(records).to_arrow()), _settings(), log_level="ERROR")
    training = linker.training
    rules = [block_on("doi"), block_on("title", "first_author")]
    training.estimate_probability_two_random_records_match(rules, recall=0.8)
    training.estimate_u_using_random_sampling(max_pairs=1e6, seed=7)
    training.estimate_parameters_using_expectation_maximisation(block_on("title"))
    training.estimate_parameters_using_expectation_maximisation(block_on("doi"))
    predicted = linker.inference.predict(threshold_match_probability=min(OTHER_THRESHOLDS))
    found = {"linker": linker, "predicted": predicted, "clusters": clusters_at(linker, predicted, THRESHOLD)}
    count = predicted.query_sql(f"select count(*) from {{this}} where match_probability >= {THRESHOLD}").as_pyarrow_table()
    return found, int(count[0][0].as_py())


def clusters_at(linker: object, predicted: object, threshold: float) -> pl.DataFrame:
    """Rows (record_key, cluster) at a threshold of probability."""
    clustered = linker.clustering.cluster_pairwise_predictions_at_threshold(predicted, threshold_match_probability=threshold)
    frame = pl.DataFrame(clustered.as_pyarrow_table())
    return frame.select("record_key", cluster=pl.col("cluster_id"))


def _table(records: pl.DataFrame) -> pl.DataFrame:
    """The records as flat columns in lower case without accents and punctuation."""

    def plain(text: pl.Expr) -> pl.Expr:
        folded = text.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
        return folded.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars().replace("", None)

    doi = pl.element().struct.field("value").filter(pl.element().struct.field("scheme") == "doi").first()
    table = records.select(
        "record_key",
        "year",
        "volume",
        title=plain(pl.col("title")),
        families=pl.col("authors").list.eval(plain(pl.element().struct.field("family"))).list.drop_nulls().list.unique(),
        first_author=plain(pl.col("authors").list.first().struct.field("family")),
        venue=plain(pl.col("venue")),
        first_page=pl.col("pages").str.extract(r"(\d+)"),
        doi=pl.col("identifiers").list.eval(doi).list.first(),
        abstract=plain(pl.col("abstract")).str.slice(0, 200),
    )
    return table.with_columns(families=pl.when(pl.col("families").list.len() > 0).then("families"))


def _settings() -> object:
    import splink.comparison_library as cl
    from splink import SettingsCreator, block_on

    return SettingsCreator(
        link_type="dedupe_only",
        unique_id_column_name="record_key",
        blocking_rules_to_generate_predictions=[
            block_on("doi"),
            block_on("title"),
            block_on("first_author", "substr(title, 1, 10)"),
            block_on("year", "substr(title, 1, 20)"),
            block_on("first_author", "year", "first_page"),
            block_on("volume", "first_page", "year"),
            block_on("first_author", "year", "substr(abstract, 1, 30)"),
        ],
        comparisons=[
            cl.JaroWinklerAtThresholds("title", [0.97, 0.92, 0.85]).configure(term_frequency_adjustments=True),
            cl.ArrayIntersectAtSizes("families", [4, 3, 2, 1]),
            cl.JaroWinklerAtThresholds("first_author", [0.9]).configure(term_frequency_adjustments=True),
            _years(),
            cl.JaroWinklerAtThresholds("venue", [0.9]),
            cl.ExactMatch("volume"),
            cl.ExactMatch("first_page"),
            cl.ExactMatch("doi"),
            cl.JaroWinklerAtThresholds("abstract", [0.95, 0.85]),
        ],
        retain_matching_columns=False,
    )


def _years() -> object:
    import splink.comparison_level_library as cll
    import splink.comparison_library as cl

    levels = [cll.NullLevel("year"), cll.ExactMatchLevel("year"), cll.AbsoluteDifferenceLevel("year", 1), cll.ElseLevel()]
    return cl.CustomComparison(output_column_name="year", comparison_levels=levels)
