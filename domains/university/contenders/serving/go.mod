module wirelab.example/serving

go 1.25
