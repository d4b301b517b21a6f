"""The fabricated bundles are what a laboratory would leave, in the very same format."""

from wirelab.bundle import Bundle


def test_the_bundle_is_whole_and_says_that_nobody_measured_it(bundle: Bundle) -> None:
    assert bundle.check() == []
    assert bundle.host["synthetic"] is True
    assert bundle.info.id.startswith("synthetic")


def test_results_are_in_the_engines_format(bundle: Bundle) -> None:
    for record in bundle.run_records():
        assert bundle.result(record.folder_name).counts.transactions == 2000


def test_the_same_seed_writes_the_same_measurements(bundle: Bundle, few: Bundle) -> None:
    metrics = bundle.metrics()

    assert len(metrics) == 6 * 4 * 6
    assert len(few.metrics()) == 6 * 4 * 2
    assert metrics["latency_mean_us"].gt(0).all()
